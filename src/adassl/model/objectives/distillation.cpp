#include "adassl/model/objectives/distillation.h"

#include <cmath>
#include <numbers>

#include "adassl/nn/tensors.h"

namespace adassl::model {

Distillation::Distillation(const Options& options, const ObjectiveContext& context)
    : options_(options), hypersphere_(context.hypersphere) {
  predictor_ = register_module("predictor", std::make_shared<nn::Mlp>(
                                                nn::MlpShape{
                                                    .in = context.edited,
                                                    .hidden = options.hidden,
                                                    .out = context.embedding,
                                                    .norm = true,
                                                    .slope = options.slope,
                                                    .out_bias = options.out_bias,
                                                },
                                                context.compute));
}

Tensor Distillation::psi(const Tensor& e) { return hypersphere_ ? nn::normalise(e) : e; }

Tensor Distillation::predict(const Tensor& e_hat) { return psi(predictor_->forward(e_hat)); }

Tensor Distillation::one_direction(const Direction& direction) {
  return (predict(direction.e_hat) - psi(direction.target)).square().sum(1).mean();
}

Tensor Distillation::loss(const Direction& forward, const std::optional<Direction>& backward) {
  const Tensor one = one_direction(forward);  // first: BatchNorm statistics depend on the order
  return backward ? (one + one_direction(*backward)) / 2 : one;
}

double Distillation::momentum(int64_t step, int64_t horizon) const {
  if (options_.schedule == "constant") return options_.momentum;
  const double done = static_cast<double>(step) / static_cast<double>(horizon);
  return 1 - (1 - options_.momentum) * (std::cos(std::numbers::pi * done) + 1) / 2;
}

double Distillation::bytes(int64_t batch, bool symmetric) const {
  // Both normalised embeddings, their difference, and a gradient.
  const int64_t numbers = 4 * predictor_->shape().out * batch * (symmetric ? 2 : 1);
  return sizeof(float) * static_cast<double>(numbers);
}

}  // namespace adassl::model
