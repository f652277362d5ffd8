#include "adassl/optim/adamw.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "adassl/nn/layers.h"
#include "adassl/nn/mlp.h"
#include "adassl/nn/tensors.h"

namespace adassl::optim {
namespace {

std::shared_ptr<nn::Linear> linear(uint64_t seed) {
  auto out = std::make_shared<nn::Linear>(3, 2, true);
  nn::initialise(*out, seed);
  return out;
}

TEST(FlatParameters, AreTheModulesOwnParametersAndGradients) {
  const auto module = linear(1);
  const Tensor before = module->weight.clone();
  FlatParameters parameters(*module);
  EXPECT_EQ(parameters.values.numel(), 8);
  EXPECT_TRUE(torch::equal(module->weight, before));
  module->forward(torch::ones({4, 3})).sum().backward();
  EXPECT_EQ(parameters.gradients.sum().item<double>(), 6 * 4 + 2 * 4);
  const torch::NoGradGuard no_grad;
  parameters.values.zero_();
  EXPECT_EQ(module->weight.abs().sum().item<double>(), 0);
}

TEST(FlatParameters, SpareOneDimensionalParametersFromDecayAndNoOthers) {
  class Scalar : public torch::nn::Module {
   public:
    Scalar() { register_parameter("scale", torch::ones({})); }
  };
  const auto module = linear(1);
  const FlatParameters parameters(*module);
  EXPECT_TRUE(parameters.slices[0].decays);   // weight
  EXPECT_FALSE(parameters.slices[1].decays);  // bias
  Scalar scalar;
  EXPECT_TRUE(FlatParameters(scalar).slices[0].decays);  // as the official code does
}

TEST(AdamW, FirstStepMovesEveryEntryByTheLearningRate) {
  const auto module = linear(1);
  FlatParameters parameters(*module);
  AdamW adamw({.learning_rate = 0.01, .weight_decay = 0}, parameters);
  const Tensor before = parameters.values.clone();
  parameters.gradients.copy_(torch::tensor({1.0, -2.0, 0.5, 4.0, -1.0, 3.0, 0.1, -0.1}));
  adamw.step(1, adamw.gradient_norm());
  const Tensor moved = before - parameters.values;
  EXPECT_TRUE(torch::allclose(moved, 0.01 * parameters.gradients.sign(), 1e-4, 1e-6));
}

TEST(AdamW, ClipsByTheNormOfTheWholeGradient) {
  const auto module = linear(1);
  FlatParameters parameters(*module);
  AdamW adamw({.clip = 1}, parameters);
  parameters.gradients.fill_(10);
  EXPECT_NEAR(adamw.gradient_norm(), 10 * std::sqrt(8.0), 1e-4);
  adamw.step(1, adamw.gradient_norm());
  EXPECT_NEAR(adamw.first_moment.norm().item<double>(), (1 - 0.9) * 1, 1e-6);
}

TEST(AdamW, DecaysWeightsButNotBiases) {
  const auto module = linear(1);
  FlatParameters parameters(*module);
  AdamW adamw({.learning_rate = 0.1, .weight_decay = 0.5}, parameters);
  const Tensor weight = module->weight.clone();
  const Tensor bias = module->bias.clone();
  adamw.step(1, adamw.gradient_norm());  // the gradient is zero
  EXPECT_TRUE(torch::allclose(module->weight, weight * 0.95));
  EXPECT_TRUE(torch::equal(module->bias, bias));
}

nn::ComputePtr compute_by(nn::Kernels kernels) {
  return std::make_shared<nn::Compute>(nn::Compute{.kernels = kernels});
}

/// Fifty steps on gradients that are sometimes clipped and sometimes not.
struct Trained {
  explicit Trained(nn::Kernels kernels, torch::ScalarType type = torch::kFloat32)
      : module(std::make_shared<nn::Linear>(71, 59, true)) {
    nn::initialise(*module, 1);
    module->to(type);
    FlatParameters parameters(*module);
    AdamW adamw({.learning_rate = 0.01, .weight_decay = 0.1}, parameters, compute_by(kernels));
    for (int64_t step = 1; step <= 50; ++step) {
      const random::Stream stream(1, "gradient", static_cast<uint64_t>(step));
      const Tensor drawn = nn::normal(1, parameters.values.numel(), stream, parameters.values)[0];
      parameters.gradients.copy_(drawn * (step % 3 == 0 ? 1e-3 : 1.0));
      norms.push_back(adamw.gradient_norm());
      adamw.step(step, norms.back());
    }
    values = parameters.values;
    first_moment = adamw.first_moment;
    second_moment = adamw.second_moment;
  }

  std::shared_ptr<nn::Linear> module;
  std::vector<double> norms;
  Tensor values, first_moment, second_moment;
};

TEST(AdamW, FusedEqualsReferenceOverFiftySteps) {
  const Trained fused(nn::Kernels::kFused);
  const Trained reference(nn::Kernels::kReference);
  for (size_t i = 0; i < 50; ++i) {
    EXPECT_NEAR(fused.norms[i], reference.norms[i], 1e-6 * reference.norms[i]);
  }
  EXPECT_GT(*std::max_element(fused.norms.begin(), fused.norms.end()), 1);  // clipped
  EXPECT_LT(*std::min_element(fused.norms.begin(), fused.norms.end()), 1);  // and not
  const auto expect_close = [](const Tensor& ours, const Tensor& theirs) {
    const double error = (ours - theirs).abs().max().item<double>();
    EXPECT_LT(error, 2e-6 * theirs.abs().max().item<double>());
  };
  expect_close(fused.values, reference.values);
  expect_close(fused.first_moment, reference.first_moment);
  expect_close(fused.second_moment, reference.second_moment);
}

TEST(AdamW, LetsNoGradientBeTakenWithTheNewWeights) {
  for (const auto kernels : {nn::Kernels::kFused, nn::Kernels::kReference}) {
    const nn::ComputePtr compute = compute_by(kernels);
    const auto mlp =
        std::make_shared<nn::Mlp>(nn::MlpShape{.in = 3, .hidden = {4}, .out = 2}, compute);
    nn::initialise(*mlp, 1);
    FlatParameters parameters(*mlp);
    AdamW optimizer({}, parameters, compute);
    const Tensor stale = mlp->forward(torch::ones({4, 3})).sum();
    optimizer.step(1, optimizer.gradient_norm());
    EXPECT_ANY_THROW(stale.backward());
    EXPECT_NO_THROW(mlp->forward(torch::ones({4, 3})).sum().backward());
  }
}

TEST(AdamW, LeavesDoublesToTheReference) {
  const Trained fused(nn::Kernels::kFused, torch::kFloat64);
  const Trained reference(nn::Kernels::kReference, torch::kFloat64);
  EXPECT_TRUE(torch::equal(fused.values, reference.values));
}

TEST(AdamW, HasNothingToDoWithoutParameters) {
  class Empty : public torch::nn::Module {};
  for (const auto kernels : {nn::Kernels::kFused, nn::Kernels::kReference}) {
    Empty module;
    FlatParameters parameters(module);
    AdamW adamw({}, parameters, compute_by(kernels));
    EXPECT_EQ(adamw.gradient_norm(), 0);
    adamw.step(1, 0);
    EXPECT_EQ(parameters.values.numel(), 0);
  }
}

}  // namespace
}  // namespace adassl::optim
