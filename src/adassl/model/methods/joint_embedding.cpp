#include "adassl/model/methods/joint_embedding.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/model/latent_metrics.h"
#include "adassl/nn/moving_average.h"

namespace adassl::model {
namespace {

std::vector<Tensor> r_of(const std::vector<Draw>& draws) {
  std::vector<Tensor> out;
  for (const Draw& draw : draws) out.push_back(draw.r);
  return out;
}

}  // namespace

JointEmbedding::JointEmbedding(Config& config, const MethodContext& context)
    : options_(config.read<Options>("model")),
      compute_(context.compute),
      restored_(context.restored) {
  const bool hypersphere = options_.space == "hypersphere";
  const auto make_encoder = [&] {
    return make_part(context.parts.encoders, config, "encoder", "mlp",
                     EncoderContext{context.observation, hypersphere, compute_});
  };
  encoder_ = register_module("encoder", make_encoder());
  const int64_t d = encoder_->embedding_width();
  latent_ = register_module("latent", make_part(context.parts.latents, config, "latent", "none",
                                                LatentContext{d, context.change, compute_}));
  const EditorContext edited{d, latent_->dim(), compute_};
  editor_ =
      register_module("editor", make_part(context.parts.editors, config, "editor", "none", edited));
  objective_ = register_module(
      "objective", make_part(context.parts.objectives, config, "objective", "contrastive",
                             ObjectiveContext{d, editor_->width(edited), hypersphere, &config,
                                              context.parts.similarities, compute_}));
  if (!objective_->distils()) return;
  target_ = register_module("target", make_encoder());
  for (Tensor& parameter : target_->parameters()) parameter.set_requires_grad(false);
}

void JointEmbedding::initialised() {
  if (!restored_) notes_ = encoder_->start_from_files();
  if (!target_) return;
  const torch::NoGradGuard no_grad;
  const auto copy = [](const std::vector<Tensor>& from, const std::vector<Tensor>& to) {
    for (size_t i = 0; i < from.size(); ++i) to[i].copy_(from[i]);
  };
  copy(encoder_->parameters(), target_->parameters());
  copy(encoder_->buffers(), target_->buffers());
}

/// The parameters of the target network follow the encoder; its BatchNorm statistics are its own.
void JointEmbedding::after_step(int64_t step, int64_t horizon) {
  if (!target_) return;
  const double momentum = objective_->momentum(step, horizon);
  const auto own = encoder_->parameters();
  const auto copies = target_->parameters();
  for (size_t i = 0; i < own.size(); ++i) nn::follow(own[i], copies[i], momentum, *compute_);
}

JointEmbedding::Encoded JointEmbedding::encode_views(const Views& given) {
  const Views views = given.to(compute_->device);
  ADASSL_CHECK(!latent_->needs_change() || views.change.defined(),
               "[latent] expected a batch with the true change, got none");
  const bool further = further_views();
  ADASSL_CHECK(!further || views.helper.defined(),
               "[model] helper=view: expected data with further views, got none; use "
               "model.helper=target");
  ADASSL_CHECK(!further || !options_.symmetric || views.mirror_helper.defined(),
               "[model] helper=view: expected data with a further view of x for the direction from "
               "x+ to x, got none; use model.symmetric=false or model.helper=target");
  // With a target network, the encoder itself needs x+ only as the source of the second direction.
  const bool sees_x_plus = !target_ || options_.symmetric;
  std::vector<Tensor> seen = {views.x};
  if (sees_x_plus) seen.push_back(views.x_plus);
  if (further) seen.push_back(views.helper);
  if (further && options_.symmetric) seen.push_back(views.mirror_helper);
  const std::vector<Tensor> embeddings = encoder_->forward(seen);
  auto next = embeddings.begin();
  Encoded out;
  out.change = views.change;
  out.x = *next++;
  if (sees_x_plus) out.x_plus = *next++;
  if (target_) {
    const torch::NoGradGuard no_grad;
    out.x_plus_target = target_->forward(views.x_plus);
    if (options_.symmetric) out.x_target = target_->forward(views.x);
  } else {
    out.x_plus_target = out.x_plus;
    out.x_target = out.x;
  }
  if (!latent_->needs_helper()) return out;
  out.helper = further ? *next++ : out.x_plus_target;
  if (options_.symmetric) out.mirror_helper = further ? *next++ : out.x_target;
  return out;
}

/// The inputs of the inference of r, for each direction.
std::vector<Evidence> JointEmbedding::evidence_of(const Encoded& e) const {
  std::vector<Evidence> out = {{e.x, e.helper, e.change}};
  if (options_.symmetric) {
    out.push_back({e.x_plus, e.mirror_helper, e.change.defined() ? -e.change : e.change});
  }
  return out;
}

std::vector<random::Stream> JointEmbedding::streams_of(const random::Stream& noise) const {
  std::vector<random::Stream> out = {noise.named("forward")};
  if (options_.symmetric) out.push_back(noise.named("backward"));
  return out;
}

/// L_SSL with one r for each direction.
Tensor JointEmbedding::objective_of(const Encoded& e, const std::vector<Tensor>& r) {
  const Direction forwards{e.x, editor_->edit(e.x, r[0]), e.x_plus_target};
  if (!options_.symmetric) return objective_->loss(forwards, {});
  return objective_->loss(forwards, Direction{e.x_plus, editor_->edit(e.x_plus, r[1]), e.x_target});
}

Loss JointEmbedding::forward(const Views& views, int64_t step, const random::Stream& noise) {
  const Encoded e = encode_views(views);
  const std::vector<Draw> draws = latent_->infer_all(evidence_of(e), streams_of(noise));
  const Tensor ssl = objective_of(e, r_of(draws));
  Loss loss{ssl, {}};
  loss.terms.emplace_back(
      Metric{.name = "ssl", .label = "objective, without the cost of r", .better = Better::kLower},
      ssl);
  if (latent_->dim() > 0) {
    Tensor cost = regulariser(draws[0]);
    if (draws.size() > 1) cost = (cost + regulariser(draws[1])) / 2;
    const double beta = latent_->beta(step);
    loss.total = ssl + beta * cost;
    loss.terms.emplace_back(Metric{.name = "reg", .label = "cost of r", .order = 2, .curve = true},
                            cost);
    loss.terms.emplace_back(Metric{.name = "beta", .label = "weight of r's cost"},
                            torch::tensor(beta, torch::kFloat64));
  }
  const torch::NoGradGuard no_grad;
  for (const auto& term : objective_->learned()) loss.terms.push_back(term);
  if (latent_->cost() == Cost::kNone) return loss;
  const Tensor use = use_of_dimensions(draws, latent_->cost());
  if (latent_->cost() == Cost::kGates) loss.terms.emplace_back(gates_open_metric(), use.sum());
  loss.terms.emplace_back(r_entropy_metric(), entropy(use));
  return loss;
}

Tensor JointEmbedding::embed(const Tensor& x) {
  return objective_->psi(encoder_->forward(here(x))).cpu();
}

Tensor JointEmbedding::represent(const Tensor& x) { return encoder_->represent(here(x)).cpu(); }

Tensor JointEmbedding::project(const Tensor& representation) {
  return encoder_->project(here(representation)).cpu();
}

Tensor JointEmbedding::imagine_r(const Tensor& e, const random::Stream& noise) {
  return latent_->imagine(here(e), noise).cpu();
}

Tensor JointEmbedding::expected_r(const Tensor& e) { return latent_->expected(here(e)).cpu(); }

Tensor JointEmbedding::predict(const Tensor& e, const Tensor& r) {
  return objective_->predict(editor_->edit(here(e), here(r))).cpu();
}

Tensor JointEmbedding::target(const Tensor& x_plus) {
  return objective_->psi((target_ ? target_ : encoder_)->forward(here(x_plus))).cpu();
}

int64_t JointEmbedding::r_width() const { return latent_->dim(); }

Usage JointEmbedding::usage(const Views& views, const random::Stream& noise) {
  const Encoded e = encode_views(views);
  const std::vector<Draw> draws = latent_->infer_all(evidence_of(e), streams_of(noise));
  std::vector<Tensor> imagined = {latent_->imagine(e.x, noise.named("imagined"))};
  if (options_.symmetric) {
    imagined.push_back(latent_->imagine(e.x_plus, noise.named("imagined back")));
  }
  const auto cpu = [](const Tensor& of) { return of.defined() ? of.cpu() : of; };
  std::vector<Draw> told;
  for (const Draw& draw : draws) told.push_back({cpu(draw.r), cpu(draw.cost), cpu(draw.gates)});
  return Usage{told, latent_->cost(), objective_of(e, r_of(draws)).item<double>(),
               objective_of(e, imagined).item<double>(), objective_->candidates(e.x.size(0))};
}

double JointEmbedding::bytes(int64_t batch) const {
  // Activations of all views and directions, gradients around one layer, and what weights need in
  // each pass.
  const int64_t views = (!target_ || options_.symmetric ? 2 : 1) +
                        (further_views() ? (options_.symmetric ? 2 : 1) : 0);
  const int64_t directions = options_.symmetric ? 2 : 1;
  const nn::Footprint encoder = encoder_->footprint();
  nn::Footprint heads = nn::footprint_of(*latent_);
  heads += editor_->footprint();
  heads += nn::footprint_of(*objective_);
  const int64_t of_pair = encoder.kept * views + heads.kept * directions +
                          std::max(encoder.working, heads.working) +
                          std::max(encoder.holes, heads.holes);
  const int64_t of_passes = encoder.fixed * views + heads.fixed * directions;
  return sizeof(float) * static_cast<double>(of_pair * batch + of_passes) + bytes_of_state(*this) +
         objective_->bytes(batch, options_.symmetric);
}

}  // namespace adassl::model
