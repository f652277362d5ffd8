#include "adassl/evaluation/change_map.h"

#include <cmath>
#include <numbers>

#include "adassl/nn/tensors.h"
#include "adassl/optim/adamw.h"

namespace adassl::evaluation {
namespace {

Tensor random_rows(int64_t rows, int64_t count, const random::Stream& stream, int64_t step) {
  random::Sequence draws = stream.at(static_cast<uint32_t>(step));
  std::vector<int64_t> out(static_cast<size_t>(count));
  for (int64_t& index : out) {
    index = static_cast<int64_t>(draws.below(static_cast<uint64_t>(rows)));
  }
  return torch::tensor(out, torch::kInt64);
}

uint64_t seed_of(const random::Stream& stream) {
  return uint64_t{stream.key()[1]} << 32 | stream.key()[0];
}

}  // namespace

ChangeMap::ChangeMap(model::Predicts& method, const EncodedPairs& pairs,
                     const ChangeMapOptions& options, const random::Stream& stream,
                     const nn::Compute& compute) {
  // The map is part of the instrument: it is float32 whatever the precision of the model.
  const auto instrument = std::make_shared<nn::Compute>(compute);
  instrument->precision = nn::Precision::kFloat32;
  mean_ = pairs.change.mean(0);
  const Tensor deviation = pairs.change.std(0);
  scale_ = torch::where(deviation > 0, 1 / deviation, torch::zeros_like(deviation));
  mlp_ = std::make_shared<nn::Mlp>(
      nn::MlpShape{.in = pairs.change.size(1), .hidden = {options.hidden}, .out = method.r_width()},
      instrument);
  nn::initialise(*mlp_, seed_of(stream.named("initialise")));
  const Tensor goal = nn::normalise(pairs.target);
  const random::Stream batches = stream.named("batches");
  optim::FlatParameters parameters(*mlp_);
  optim::AdamW adam({.learning_rate = options.learning_rate, .weight_decay = 0, .clip = 0},
                    parameters, instrument);
  for (int64_t step = 0; step < options.steps; ++step) {
    const Tensor rows = random_rows(pairs.e.size(0), options.batch, batches, step);
    const torch::AutoGradMode with_gradients(true);
    const Tensor r = (*this)(pairs.change.index_select(0, rows));
    const Tensor prediction = nn::normalise(method.predict(pairs.e.index_select(0, rows), r));
    const Tensor loss = (prediction - goal.index_select(0, rows)).square().sum(1).mean();
    // Only the gradients of the map are computed, so that those of the method do not change.
    const auto gradients = torch::autograd::grad({loss}, parameters.parameters);
    for (size_t i = 0; i < gradients.size(); ++i) {
      optim::FlatParameters::part(parameters.gradients, parameters.slices[i]).copy_(gradients[i]);
    }
    const double progress = static_cast<double>(step) / static_cast<double>(options.steps);
    adam.step(step + 1, adam.gradient_norm(), (1 + std::cos(std::numbers::pi * progress)) / 2);
  }
}

Tensor ChangeMap::operator()(const Tensor& change) const {
  return mlp_->forward((change - mean_) * scale_);
}

}  // namespace adassl::evaluation
