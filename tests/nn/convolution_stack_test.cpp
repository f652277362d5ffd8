#include "adassl/nn/convolution_stack.h"

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"
#include "adassl/nn/bf16_chain.h"
#include "adassl/nn/fused.h"
#include "adassl/nn/tensors.h"
#include "nn/rounding.h"

namespace adassl::nn {
namespace {

constexpr int64_t kClips = 6;
constexpr int64_t kFrames = 3;

/// Over space, over time, over space, as the encoder of videos has them.
std::vector<StackedLayer> layers() {
  std::vector<StackedLayer> out = {
      {std::make_shared<ConvolutionLayer>(ConvolutionShape{1, 8, {3, 3}, {2, 2}, {1, 1}}),
       kClips * kFrames, 12, 10},
      {std::make_shared<ConvolutionLayer>(ConvolutionShape{8, 40, {3, 1}, {1, 1}, {1, 0}}), kClips,
       kFrames, 30},
      {std::make_shared<ConvolutionLayer>(ConvolutionShape{40, 33, {3, 3}, {2, 2}, {1, 1}}),
       kClips * kFrames, 6, 5}};
  for (size_t i = 0; i < out.size(); ++i) initialise(*out[i].layer, i + 1);
  return out;
}

Tensor pictures() {
  return normal(kClips * kFrames, 120, {1, "pictures"}, torch::empty({0})).view({-1, 1, 12, 10});
}

/// The same by LibTorch, layer by layer; with `rounds` in float64, rounded where ours are.
Tensor by_layers(const Tensor& x, const std::vector<StackedLayer>& layers, bool rounds) {
  const auto round = [&](const Tensor& t, bool forward = true) {
    return rounds ? Round::apply(t, forward) : t;
  };
  Tensor y = rounds ? to_bf16_and_back(x.to(torch::kFloat64)) : x;
  for (size_t i = 0; i < layers.size(); ++i) {
    const StackedLayer& of = layers[i];
    y = y.permute({0, 2, 3, 1})
            .contiguous()
            .view({of.images, of.height, of.width, of.layer->shape().in})
            .permute({0, 3, 1, 2});
    if (rounds) of.layer->to(torch::kFloat64);
    const Tensor weight = of.layer->weight;
    const Tensor used = rounds ? rounded_weight(weight) : weight;
    const Tensor sums = round(convolution(y, used, of.layer->shape()));
    y = round(of.layer->norm().forward(sums).relu(), i + 1 < layers.size());
  }
  return y.mean({2, 3});
}

Tensor in_float32(const Tensor& x, const std::vector<StackedLayer>& layers) {
  return by_layers(x, layers, false);
}
Tensor rounded_in_float64(const Tensor& x, const std::vector<StackedLayer>& layers) {
  return by_layers(x, layers, true);
}

struct Outcome {
  Tensor y;
  std::vector<Tensor> gradients, buffers;
};

template <class Forward>
Outcome outcome(const Forward& forward) {
  const std::vector<StackedLayer> stack = layers();
  Outcome out;
  out.y = forward(pictures(), stack);
  const Tensor weights =
      normal(out.y.size(0), out.y.size(1), {1, "weights"}, torch::empty({0})).to(out.y.dtype());
  (out.y * weights).sum().backward();
  for (const StackedLayer& of : stack) {
    for (const Tensor& p : of.layer->parameters()) out.gradients.push_back(p.grad());
    for (const Tensor& b : of.layer->buffers()) out.buffers.push_back(b);
  }
  return out;
}

TEST(ConvolutionStack, IsLibTorchsLayersRoundedWhereOursAre) {
  const Outcome ours = outcome(&pooled_stack);
  const Outcome theirs = outcome(&rounded_in_float64);
  EXPECT_LT(apart(ours.y, theirs.y), 2e-3);
  ASSERT_EQ(ours.gradients.size(), 9U);
  for (size_t i = 0; i < ours.gradients.size(); ++i) {
    EXPECT_LT(apart(ours.gradients[i], theirs.gradients[i]), kAcrossLayers) << "parameter " << i;
  }
  ASSERT_EQ(ours.buffers.size(), 6U);
  for (size_t i = 0; i < ours.buffers.size(); ++i) {
    EXPECT_LT((ours.buffers[i] - theirs.buffers[i]).abs().max().item<double>(), 1e-3) << i;
  }
}

TEST(ConvolutionStack, GoesWhereFloat32Goes) {
  const Outcome ours = outcome(&pooled_stack);
  const Outcome theirs = outcome(&in_float32);
  EXPECT_LT(apart(ours.y, theirs.y), 5e-3);
  for (size_t i = 0; i < ours.gradients.size(); ++i) {
    const Tensor cosine =
        torch::cosine_similarity(ours.gradients[i].flatten(), theirs.gradients[i].flatten(), 0);
    EXPECT_GT(cosine.item<double>(), 0.98) << "parameter " << i;
  }
}

TEST(ConvolutionStack, UsesRunningStatisticsWhenItDoesNotTrain) {
  const std::vector<StackedLayer> stack = layers();
  pooled_stack(pictures(), stack);  // the statistics leave where they began
  for (const StackedLayer& of : stack) of.layer->eval();
  const Tensor before = stack[1].layer->norm().running_mean.clone();
  const Tensor ours = pooled_stack(pictures(), stack);
  const Tensor theirs = in_float32(pictures(), stack);
  EXPECT_LT(apart(ours, theirs), 5e-3);
  EXPECT_TRUE(stack[1].layer->norm().running_mean.equal(before));
  std::vector<Tensor> parameters;
  for (const StackedLayer& of : stack) {
    for (const Tensor& p : of.layer->parameters()) parameters.push_back(p);
  }
  const auto one = torch::autograd::grad({ours.square().sum()}, parameters);
  const auto other = torch::autograd::grad({theirs.square().sum()}, parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_LT(apart(one[i], other[i]), 5e-2) << i;
  }
}

TEST(ConvolutionStack, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = kernels::threads();
  kernels::set_threads(1);
  const Outcome one = outcome(&pooled_stack);
  for (const int threads : {2, 3, 4}) {
    kernels::set_threads(threads);
    const Outcome many = outcome(&pooled_stack);
    EXPECT_TRUE(many.y.equal(one.y));
    for (size_t i = 0; i < one.gradients.size(); ++i) {
      EXPECT_TRUE(many.gradients[i].equal(one.gradients[i])) << i;
    }
    for (size_t i = 0; i < one.buffers.size(); ++i) {
      EXPECT_TRUE(many.buffers[i].equal(one.buffers[i])) << i;
    }
  }
  kernels::set_threads(before);
}

TEST(ConvolutionStack, CoversBfloat16OnMachinesThatAreFastAtIt) {
  const std::vector<StackedLayer> stack = layers();
  EXPECT_FALSE(stack_covers(pictures(), stack)) << "float32 is what one gets unasked";
  const WithPrecision precision(Precision::kBfloat16);
  const std::string set = kernels::instruction_set();
  const bool fast = set != "baseline" && set != "avx2";
  EXPECT_EQ(stack_covers(pictures(), stack), fast);
  EXPECT_EQ(multiplies_in_bf16(), fast);
  {
    const WithKernels reference(Kernels::kReference);
    EXPECT_FALSE(stack_covers(pictures(), stack));
  }
  EXPECT_FALSE(stack_covers(pictures().to(torch::kFloat64), stack));
  EXPECT_EQ(stack_covers(pictures().requires_grad_(), stack), fast);
  EXPECT_FALSE(stack_covers(pictures().repeat({1, 3, 1, 1}), stack)) << "three channels, not one";
  stack[1].layer->eval();
  EXPECT_EQ(stack_covers(pictures(), stack), fast);
}

TEST(ConvolutionStack, GivesItsPicturesAGradient) {
  const auto gradient = [](const auto& forward) {
    const std::vector<StackedLayer> stack = layers();
    const Tensor x = pictures().set_requires_grad(true);
    const Tensor y = forward(x, stack);
    (y * normal(y.size(0), y.size(1), {1, "weights"}, x)).sum().backward();
    return x.grad();
  };
  const Tensor ours = gradient(&pooled_stack).flatten();
  const Tensor theirs = gradient(&in_float32).flatten();
  EXPECT_GT(torch::cosine_similarity(ours, theirs, 0).item<double>(), 0.98);
}

TEST(ConvolutionStack, LeavesFrozenParametersAlone) {
  const std::vector<StackedLayer> stack = layers();
  stack[1].layer->weight.requires_grad_(false);
  pooled_stack(pictures(), stack).square().sum().backward();
  EXPECT_FALSE(stack[1].layer->weight.grad().defined());
  EXPECT_GT(stack[0].layer->weight.grad().norm().item<double>(), 0);
}

template <class Backward>
void expect_refusal(const Backward& backward, const char* message) {
  try {
    backward();
    FAIL() << "expected: " << message;
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(ConvolutionStack, RefusesGradientsItCannotGive) {
  const std::vector<StackedLayer> stack = layers();
  const Tensor twice = pooled_stack(pictures(), stack).sum();
  twice.backward({}, /*retain_graph=*/true);
  expect_refusal([&] { twice.backward(); }, "asked for twice");
  const Tensor second = pooled_stack(pictures(), stack).sum();
  expect_refusal(
      [&] {
        torch::autograd::grad({second}, {stack[0].layer->weight}, {}, /*retain_graph=*/true,
                              /*create_graph=*/true);
      },
      "no second derivative");
  const Tensor stale = pooled_stack(pictures(), stack).sum();
  {
    const torch::NoGradGuard no_grad;
    stack[2].layer->weight.mul_(2);
  }
  expect_refusal([&] { stale.backward(); }, "changed between");
}

}  // namespace
}  // namespace adassl::nn
