#include "adassl/model/editors/lie.h"

#include <algorithm>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

// With these, the rest of the series is below 1e-12 where |A| <= 1; that of its derivative, 1e-10.
constexpr int kTerms = 14;
constexpr double kMostSteps = 64;  // exp(64) is more than any embedding needs

/// The number of equal steps into which expm(A_b) is divided, so that each has a Frobenius norm of
/// at most 1: |A_b|^2 = t_b^T G t_b, where G_kl is the inner product of L_k and L_l.
int64_t steps_for(const Tensor& t, const Tensor& generators) {
  const torch::NoGradGuard no_grad;
  const Tensor flat = generators.flatten(1);                            // [K, d d]
  const Tensor squares = (t.matmul(flat.matmul(flat.t())) * t).sum(1);  // [B]
  const double norm = std::sqrt(std::max(squares.max().item<double>(), 0.0));
  if (!std::isfinite(norm)) return 1;  // the loss will not be finite either, and says so
  ADASSL_CHECK(norm <= kMostSteps, "[editor] lie: expected generators of a norm up to ", kMostSteps,
               ", got ", norm, "; a larger latent.beta or a smaller step size keeps them small");
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(norm)));
}

}  // namespace

Tensor transported(const Tensor& e, const Tensor& t, const Tensor& generators) {
  if (e.size(0) == 0) return e;
  const int64_t rows = e.size(0), d = e.size(1), k = t.size(1);
  const int64_t steps = steps_for(t, generators);
  const Tensor all = generators.permute({2, 0, 1}).reshape({d, k * d});  // e -> L_1 e, L_2 e, ...
  const Tensor weights = (t / static_cast<double>(steps)).unsqueeze(1);  // [B, 1, K]
  const auto apply = [&](const Tensor& to) {
    return weights.bmm(to.matmul(all).view({rows, k, d})).squeeze(1);  // [B, d]
  };
  Tensor out = e;
  for (int64_t step = 0; step < steps; ++step) {
    Tensor term = out;
    for (int order = 1; order <= kTerms; ++order) {
      term = apply(term) / order;
      out = out + term;
    }
  }
  return out;
}

LieEditor::LieEditor(const Options&, const EditorContext& context) {
  if (context.r == 0) return;
  const int64_t d = context.embedding;
  generators_ = register_parameter("generators", torch::zeros({context.r, d, d}, torch::kFloat32));
}

Tensor LieEditor::edit(const Tensor& e, const Tensor& r) {
  return generators_.defined() ? transported(e, r, generators_) : e;
}

nn::Footprint LieEditor::footprint() const {
  if (!generators_.defined()) return {};
  const int64_t k = generators_.size(0), d = generators_.size(1);
  // Each term of the series keeps L_1 e, ..., L_K e and what they act on.
  return {.kept = kTerms * (k + 1) * d, .working = 2 * k * d};
}

void LieEditor::initialise(const random::Stream& stream) {
  if (!generators_.defined()) return;
  const torch::NoGradGuard no_grad;
  const int64_t k = generators_.size(0), d = generators_.size(1);
  const Tensor drawn = nn::normal(k, d * d, stream.named("generators"), generators_);
  generators_.copy_(drawn.view({k, d, d}) / static_cast<double>(d));
}

}  // namespace adassl::model
