#include "adassl/model/latents/sparse.h"

#include "adassl/nn/latent_functions.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

/// r = gate * value, and the cost of its gates.
Draw draw(const nn::Compute& compute, const Tensor& output, const Tensor& u) {
  if (compute.fuses(output)) {
    const nn::GateDraw fused = nn::gate_draw(output, u);
    return {fused.r, fused.cost, fused.gates};
  }
  const auto halves = output.chunk(2, 1);
  const Tensor gate = straight_through_gate(halves[0], u);
  return {gate * halves[1], torch::sigmoid(halves[0]), gate.detach().round()};
}

}  // namespace

Tensor straight_through_gate(const Tensor& logits, const Tensor& u) {
  const Tensor clamped = u.clamp(1e-6, 1 - 1e-6);
  const Tensor logistic = clamped.log() - (1 - clamped).log();
  const Tensor soft = torch::sigmoid(logits + logistic);
  const Tensor hard = (soft > 0.5).to(soft.scalar_type());
  return hard - soft.detach() + soft;
}

Sparse::Sparse(const Options& options, const LatentContext& context)
    : options_(options), compute_(context.compute) {
  m_ = register_module("m", std::make_shared<nn::Mlp>(
                                nn::MlpShape{
                                    .in = 2 * context.embedding,
                                    .hidden = options.hidden,
                                    .out = 2 * options.dim,
                                    .norm = true,
                                    .slope = options.slope,
                                    .init = nn::Init::kStabilised,
                                },
                                context.compute));
}

std::vector<Draw> Sparse::infer_all(const std::vector<Evidence>& evidence,
                                    const std::vector<random::Stream>& noise) {
  std::vector<Tensor> pairs;
  for (const Evidence& one : evidence) pairs.push_back(torch::cat({one.e, one.helper}, 1));
  const std::vector<Tensor> outputs = m_->forward(pairs);
  std::vector<Draw> out;
  for (size_t i = 0; i < evidence.size(); ++i) {
    const Tensor& e = evidence[i].e;
    out.push_back(draw(*compute_, outputs[i], nn::uniform(e.size(0), options_.dim, noise[i], e)));
  }
  return out;
}

}  // namespace adassl::model
