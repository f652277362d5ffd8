#include "adassl/optim/adamw.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "adassl/kernels/adamw.h"

namespace adassl::optim {
namespace {

std::span<float> span_of(const Tensor& flat) {
  return {flat.data_ptr<float>(), static_cast<size_t>(flat.numel())};
}

}  // namespace

AdamW::AdamW(const Options& options, FlatParameters& parameters, nn::ComputePtr compute)
    : first_moment(torch::zeros_like(parameters.values)),
      second_moment(torch::zeros_like(parameters.values)),
      options_(options),
      parameters_(parameters),
      compute_(std::move(compute)),
      keep_(torch::ones_like(parameters.values)) {}

void AdamW::keep_for(double rate) {
  if (rate == keep_rate_) return;
  for (const auto& slice : parameters_.slices) {
    if (!slice.decays) continue;
    FlatParameters::part(keep_, slice).fill_(1 - rate * options_.weight_decay);
  }
  keep_rate_ = rate;
}

double AdamW::gradient_norm() const {
  const Tensor& g = parameters_.gradients;
  if (compute_->fuses(g)) return kernels::norm(span_of(g));
  return g.norm().item<double>();
}

void AdamW::step(int64_t number, double norm, double rate_scale) {
  const torch::NoGradGuard no_grad;
  const double rate = options_.learning_rate * rate_scale;
  keep_for(rate);
  const bool clips = options_.clip > 0 && norm + 1e-6 > options_.clip;
  const double scale = clips ? options_.clip / (norm + 1e-6) : 1;
  const auto t = static_cast<double>(number);
  const double correction1 = 1 - std::pow(options_.beta1, t);
  const double correction2 = std::sqrt(1 - std::pow(options_.beta2, t));
  parameters_.changed();
  if (compute_->fuses(parameters_.values)) {
    return kernels::adamw_step({.gradient_scale = scale,
                                .beta1 = options_.beta1,
                                .beta2 = options_.beta2,
                                .step_size = rate / correction1,
                                .root_scale = 1 / correction2,
                                .epsilon = options_.epsilon},
                               {.values = span_of(parameters_.values),
                                .gradients = span_of(parameters_.gradients),
                                .first_moment = span_of(first_moment),
                                .second_moment = span_of(second_moment),
                                .keep = span_of(keep_)});
  }
  const Tensor g = clips ? parameters_.gradients * scale : parameters_.gradients;
  first_moment.mul_(options_.beta1).add_(g, 1 - options_.beta1);
  second_moment.mul_(options_.beta2).addcmul_(g, g, 1 - options_.beta2);
  const Tensor denominator = (second_moment.sqrt() / correction2).add_(options_.epsilon);
  parameters_.values.mul_(keep_).addcdiv_(first_moment, denominator, -rate / correction1);
}

double rate_scale(const AdamW::Options& options, int64_t step, int64_t steps) {
  const auto warmup = static_cast<double>(options.warmup_steps);
  if (step <= options.warmup_steps) return static_cast<double>(step) / warmup;
  if (options.schedule == "constant") return 1;
  const double done = static_cast<double>(step - 1) - warmup;
  const double all = std::max(1.0, static_cast<double>(steps) - warmup);
  return (1 + std::cos(std::numbers::pi * done / all)) / 2;
}

}  // namespace adassl::optim
