#include "adassl/model/methods/joint_embedding.h"

#include "adassl/core/error.h"

namespace adassl::model {

JointEmbedding::JointEmbedding(Config& config, const MethodContext& context)
    : options_(config.read<Options>("model")) {
  const bool hypersphere = options_.space == "hypersphere";
  encoder_ =
      register_module("encoder", make_part(encoders(), config, "encoder", "mlp",
                                           EncoderContext{context.observation, hypersphere}));
  const int64_t d = encoder_->embedding_width();
  latent_ = register_module(
      "latent", make_part(latents(), config, "latent", "none", LatentContext{d, context.change}));
  editor_ = register_module(
      "editor", make_part(editors(), config, "editor", "none", EditorContext{d, latent_->dim()}));
  objective_ =
      register_module("objective", make_part(objectives(), config, "objective", "contrastive",
                                             ObjectiveContext{d, hypersphere, &config}));
}

JointEmbedding::Encoded JointEmbedding::encode(const Views& views) {
  ADASSL_CHECK(!latent_->needs_change() || views.change.defined(),
               "[latent] expected a batch with the true change, got none");
  const bool further = latent_->needs_helper() && options_.helper == "view";
  ADASSL_CHECK(!further || (views.helper.defined() &&
                            (!options_.symmetric || views.mirror_helper.defined())),
               "[model] helper=view: expected data with further views, got none; use "
               "model.helper=target");
  std::vector<Tensor> seen = {views.x, views.x_plus};
  if (further) seen.push_back(views.helper);
  if (further && options_.symmetric) seen.push_back(views.mirror_helper);
  const std::vector<Tensor> e = encoder_->forward(seen);
  Encoded out{e[0], e[1], {}, {}, views.change};
  if (!latent_->needs_helper()) return out;
  out.helper = further ? e[2] : e[1];
  if (!further) out.mirror_helper = e[0];
  if (further && options_.symmetric) out.mirror_helper = e[3];
  return out;
}

Loss JointEmbedding::forward(const Views& views, int64_t step, const random::Stream& noise) {
  const Encoded e = encode(views);
  const auto direction = [&](const Evidence& evidence, const Tensor& target, const char* name) {
    const Draw draw = latent_->infer(evidence, noise.named(name));
    return std::pair(Direction{evidence.e, editor_->edit(evidence.e, draw.r), target},
                     regulariser(draw));
  };
  const auto [forwards, forward_cost] = direction({e.x, e.helper, e.change}, e.x_plus, "forward");
  std::optional<Direction> backwards;
  Tensor cost = forward_cost;
  if (options_.symmetric) {
    const Tensor change_back = e.change.defined() ? -e.change : e.change;
    const auto [back, back_cost] =
        direction({e.x_plus, e.mirror_helper, change_back}, e.x, "backward");
    backwards = back;
    cost = (cost + back_cost) / 2;
  }
  const Tensor ssl = objective_->loss(forwards, backwards);
  Loss loss{ssl, {{"ssl", ssl}}};
  if (latent_->dim() > 0) {
    const double beta = latent_->beta(step);
    loss.total = ssl + beta * cost;
    loss.terms.emplace_back("reg", cost);
    loss.terms.emplace_back("beta", torch::tensor(beta, torch::kFloat64));
  }
  return loss;
}

Tensor JointEmbedding::embed(const Tensor& x) { return objective_->psi(encoder_->forward(x)); }

Tensor JointEmbedding::imagine(const Tensor& x, const random::Stream& noise) {
  const Tensor e = encoder_->forward(x);
  return objective_->predict(editor_->edit(e, latent_->imagine(e, noise)));
}

std::optional<Usage> JointEmbedding::usage(const Views& views, const random::Stream& noise) {
  const Encoded e = encode(views);
  const Draw draw = latent_->infer({e.x, e.helper, e.change}, noise.named("forward"));
  const Tensor imagined = latent_->imagine(e.x, noise.named("imagined"));
  const auto loss = [&](const Tensor& r) {
    return objective_->loss({e.x, editor_->edit(e.x, r), e.x_plus}, {}).item<double>();
  };
  return Usage{draw, latent_->cost(), loss(draw.r), loss(imagined),
               objective_->candidates(e.x.size(0))};
}

double JointEmbedding::bytes(int64_t batch) const {
  const bool further_views = latent_->needs_helper() && options_.helper == "view";
  const int64_t view_count = 2 + (further_views ? (options_.symmetric ? 2 : 1) : 0);
  double parameter_count = 0;
  for (const Tensor& p : parameters()) parameter_count += static_cast<double>(p.numel());
  // Activations and their gradients; parameters, gradients and two moments.
  return 2.0 * sizeof(float) * static_cast<double>(encoder_->activations() * batch * view_count) +
         4.0 * sizeof(float) * parameter_count + objective_->bytes(batch, options_.symmetric);
}

}  // namespace adassl::model
