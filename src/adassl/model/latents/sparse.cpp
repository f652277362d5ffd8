#include "adassl/model/latents/sparse.h"

#include "adassl/nn/fused.h"
#include "adassl/nn/latent_functions.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {

Tensor straight_through_gate(const Tensor& logits, const Tensor& u) {
  const Tensor clamped = u.clamp(1e-6, 1 - 1e-6);
  const Tensor logistic = clamped.log() - (1 - clamped).log();
  const Tensor soft = torch::sigmoid(logits + logistic);
  const Tensor hard = (soft > 0.5).to(soft.scalar_type());
  return hard - soft.detach() + soft;
}

Sparse::Sparse(const Options& options, const LatentContext& context) : options_(options) {
  m_ = register_module("m", std::make_shared<nn::Mlp>(nn::MlpShape{
                                .in = 2 * context.embedding,
                                .hidden = options.hidden,
                                .out = 2 * options.dim,
                                .norm = true,
                                .slope = options.slope,
                                .init = nn::Init::kStabilised,
                            }));
}

Draw Sparse::infer(const Evidence& evidence, const random::Stream& noise) {
  const Tensor output = m_->forward(torch::cat({evidence.e, evidence.helper}, 1));
  const Tensor u = nn::uniform(evidence.e.size(0), options_.dim, noise, evidence.e);
  if (nn::fused() && nn::fused_covers(output)) {
    const nn::GateDraw draw = nn::gate_draw(output, u);
    return {draw.r, draw.cost, draw.gates};
  }
  const auto halves = output.chunk(2, 1);
  const Tensor gate = straight_through_gate(halves[0], u);
  return {gate * halves[1], torch::sigmoid(halves[0]), gate.detach().round()};
}

}  // namespace adassl::model
