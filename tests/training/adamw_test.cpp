#include "adassl/training/adamw.h"

#include <cmath>

#include <gtest/gtest.h>

#include "adassl/nn/layers.h"

namespace adassl::training {
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
  EXPECT_NEAR(adamw.gradient_norm(), 1, 1e-5);
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

}  // namespace
}  // namespace adassl::training
