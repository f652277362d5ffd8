#include "adassl/model/objectives/contrastive.h"

#include <limits>

#include "adassl/core/error.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

constexpr int64_t kWidestKernel = 1024;  // beyond this a matrix library is faster

}  // namespace

Tensor distance_logits(const Tensor& a, const Tensor& b, const Tensor& concentration, double tau) {
  const Tensor weights = concentration / tau;                   // [], [d] or [N, d]
  const Tensor weighted = weights * a;                          // [N, d]
  const Tensor own = (weighted * a).sum(1, /*keepdim=*/true);   // [N, 1]
  const Tensor one = torch::ones({b.size(0), 1}, b.options());  // [M, 1]
  if (concentration.dim() == 0) {  // one weight for all directions: |b|^2 is a single column
    const Tensor square = (b * b).sum(1, /*keepdim=*/true);  // [M, 1]
    return torch::cat({2 * weighted, -own, -weights.expand_as(own)}, 1)
        .matmul(torch::cat({b, one, square}, 1).t());
  }
  return torch::cat({2 * weighted, -own, -weights.expand_as(a)}, 1)
      .matmul(torch::cat({b, one, b * b}, 1).t());
}

Tensor softmax_cross_entropy(const Tensor& logits, const Tensor& excluded) {
  const Tensor competing =
      excluded.defined() ? logits.masked_fill(excluded, -std::numeric_limits<float>::infinity())
                         : logits;
  return -torch::log_softmax(competing, 1).diagonal().mean();
}

Contrastive::Contrastive(const Options& options, const ObjectiveContext& context)
    : options_(options),
      compute_(context.compute),
      hypersphere_(context.hypersphere),
      embedding_(context.embedding) {
  similarity_ = register_module(
      "similarity", make_part(context.similarities, *context.config, "similarity", "isotropic",
                              SimilarityContext{context.embedding, context.compute}));
  if (options.predictor || context.edited != context.embedding) {
    predictor_ = register_module("predictor", std::make_shared<nn::Mlp>(
                                                  nn::MlpShape{
                                                      .in = context.edited,
                                                      .hidden = options.predictor_hidden,
                                                      .out = context.embedding,
                                                      .norm = true,
                                                      .slope = options.predictor_slope,
                                                  },
                                                  context.compute));
  }
  const std::string reason = beyond_kernels();
  if (!reason.empty()) compute_->note_fallback(reason);
}

Tensor Contrastive::psi(const Tensor& e) { return hypersphere_ ? nn::normalise(e) : e; }

Tensor Contrastive::predict(const Tensor& e_hat) {
  return psi(predictor_ ? predictor_->forward(e_hat) : e_hat);
}

Tensor Contrastive::logits(const Tensor& q, const Tensor& k, const Tensor& concentration) const {
  const Tensor out = options_.form == "cosine" ? (q * (concentration / options_.tau)).matmul(k.t())
                                               : distance_logits(q, k, concentration, options_.tau);
  return options_.clamp > 0 ? out.clamp(-options_.clamp, options_.clamp) : out;
}

/// Why the kernels do not cover this objective; "" if they do.
std::string Contrastive::beyond_kernels() const {
  if (options_.form == "distance" && options_.clamp > 0) {
    return "objective.clamp with form = \"distance\" takes the reference path";
  }
  if (embedding_ > kWidestKernel) {
    return join("embeddings of ", embedding_, " dimensions take the reference path of the ",
                "contrastive loss: kernels go up to ", kWidestKernel);
  }
  return "";
}

bool Contrastive::fits_kernels(const Tensor& q, const Tensor& concentration) const {
  if (!compute_->fuses(q) || !compute_->fuses(concentration)) return false;
  return beyond_kernels().empty() && q.size(0) > 0;
}

Tensor Contrastive::one_direction(const Direction& direction) {
  const Tensor q = predictor_ ? predictor_->forward(direction.e_hat) : direction.e_hat;
  const Tensor concentration = concentration_of(direction);
  if (!fits_kernels(q, concentration)) return reference(direction, psi(q), concentration);
  return nn::contrastive_function(q, direction.target,
                                  options_.negatives == "both" ? direction.e : Tensor(),
                                  concentration, form(), workspace_);
}

nn::ContrastiveForm Contrastive::form() const {
  return {.hypersphere = hypersphere_,
          .cosine = options_.form == "cosine",
          .tau = options_.tau,
          .clamp = options_.clamp};
}

Tensor Contrastive::reference(const Direction& direction, const Tensor& q,
                              const Tensor& concentration) {
  const Tensor targets = psi(direction.target);
  if (options_.negatives == "targets") {
    return softmax_cross_entropy(logits(q, targets, concentration), {});
  }
  const int64_t n = q.size(0);
  const Tensor candidates = torch::cat({targets, psi(direction.e)});  // [2N, d]
  const Tensor own = torch::eye(n, torch::dtype(torch::kBool).device(q.device()));
  const Tensor excluded = torch::cat({torch::zeros_like(own), own}, 1);  // [N, 2N]
  return softmax_cross_entropy(logits(q, candidates, concentration), excluded);
}

/// Whether the logits of the second direction are those of the first one, transposed.
bool Contrastive::mirror(const Direction& forward, const Direction& backward) const {
  return !predictor_ && !similarity_->depends_on_anchor() && options_.negatives == "targets" &&
         options_.form == "distance" && forward.e_hat.is_same(backward.target) &&
         backward.e_hat.is_same(forward.target);
}

Tensor Contrastive::loss(const Direction& forward, const std::optional<Direction>& backward) {
  if (!backward) return one_direction(forward);
  if (mirror(forward, *backward)) {
    const Tensor concentration = concentration_of(forward);
    if (fits_kernels(forward.e_hat, concentration)) {
      return nn::two_way_contrastive_function(forward.e_hat, forward.target, concentration, form(),
                                              workspace_);
    }
  }
  const Tensor one = one_direction(forward);  // first: BatchNorm statistics depend on the order
  return (one + one_direction(*backward)) / 2;
}

Tensor Contrastive::concentration_of(const Direction& direction) {
  const Tensor out = similarity_->concentration(direction.e);
  concentration_ = out.detach();
  return out;
}

/// lambda: the mean of Lambda's diagonal. lambda_spread: its standard deviation over dimensions,
/// and over anchors if it depends on them, divided by the mean.
std::vector<std::pair<Metric, Tensor>> Contrastive::learned() const {
  if (!concentration_.defined()) return {};
  const Metric lambda{.name = "lambda",
                      .label = "λ, mean",
                      .about = "weight of distances in the similarity",
                      .order = 5,
                      .curve = true};
  const Metric spread{.name = "lambda_spread",
                      .label = "λ, spread",
                      .about = "standard deviation by mean, over dimensions and anchors",
                      .order = 6,
                      .curve = true};
  const Tensor mean = concentration_.mean();
  if (concentration_.dim() == 0) return {{lambda, mean}};
  return {{lambda, mean}, {spread, concentration_.std(/*unbiased=*/false) / mean}};
}

int64_t Contrastive::candidates(int64_t batch) const {
  return options_.negatives == "targets" ? batch : 2 * batch - 1;
}

double Contrastive::bytes(int64_t batch, bool symmetric) const {
  const double columns = static_cast<double>(options_.negatives == "targets" ? batch : 2 * batch);
  if (compute_->fused() && beyond_kernels().empty()) {
    // A band of logits; features and their gradients, which are twice as wide for Lambda_x.
    return sizeof(float) * columns * (12.0 * static_cast<double>(embedding_) + 200);
  }
  // Distances, logits, softmax and their gradients exist at the same time: about six matrices.
  return 6 * sizeof(float) * static_cast<double>(batch) * columns * (symmetric ? 2 : 1);
}

}  // namespace adassl::model
