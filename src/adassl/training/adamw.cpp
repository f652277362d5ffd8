#include "adassl/training/adamw.h"

#include <cmath>

namespace adassl::training {

AdamW::AdamW(const Options& options, FlatParameters& parameters)
    : first_moment(torch::zeros_like(parameters.values)),
      second_moment(torch::zeros_like(parameters.values)),
      options_(options),
      parameters_(parameters),
      keep_(torch::ones_like(parameters.values)) {
  for (const auto& slice : parameters.slices) {
    if (!slice.decays) continue;
    FlatParameters::part(keep_, slice).fill_(1 - options.learning_rate * options.weight_decay);
  }
}

double AdamW::gradient_norm() const { return parameters_.gradients.norm().item<double>(); }

void AdamW::step(int64_t number, double norm) {
  const torch::NoGradGuard no_grad;
  Tensor& g = parameters_.gradients;
  if (options_.clip > 0 && norm + 1e-6 > options_.clip) g.mul_(options_.clip / (norm + 1e-6));
  first_moment.mul_(options_.beta1).add_(g, 1 - options_.beta1);
  second_moment.mul_(options_.beta2).addcmul_(g, g, 1 - options_.beta2);
  const auto t = static_cast<double>(number);
  const double correction1 = 1 - std::pow(options_.beta1, t);
  const double correction2 = std::sqrt(1 - std::pow(options_.beta2, t));
  const Tensor denominator = (second_moment.sqrt() / correction2).add_(options_.epsilon);
  parameters_.values.mul_(keep_).addcdiv_(first_moment, denominator,
                                          -options_.learning_rate / correction1);
}

}  // namespace adassl::training
