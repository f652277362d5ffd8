#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"
#include "adassl/nn/built_network.h"
#include "adassl/nn/tensors.h"
#include "nn/rounding.h"

namespace adassl::nn {
namespace {

constexpr int64_t kClips = 6;
constexpr int64_t kFrames = 3;

const Size kClip{1, {kFrames, 12, 10}};

/// Over space, over time, over space, as the encoder of videos has them.
struct Stack {
  Stack() : network(*root, layers(), kClip, default_compute()) {
    for (size_t i = 0; i < 3; ++i) {
      convolutions.push_back(network.layers()[3 * i].convolution);
      norms.push_back(network.layers()[3 * i + 1].norm);
    }
    initialise(*root, 1);
  }
  static Network layers() {
    return {convolution("a", 8, 3, 2),
            norm("a.norm"),
            relu(),
            time_convolution("b", 40, 3),
            norm("b.norm"),
            relu(),
            convolution("c", 33, 3, 2),
            norm("c.norm"),
            relu(),
            mean_pool()};
  }
  std::vector<ChainLayer> chain() const { return chain_from(network.layers(), 0, kClips); }

  std::shared_ptr<torch::nn::Module> root = std::make_shared<torch::nn::Module>("stack");
  BuiltNetwork network;
  std::vector<std::shared_ptr<Convolution>> convolutions;
  std::vector<std::shared_ptr<BatchNorm>> norms;
};

/// Frames [clips frames, 1, 12, 10].
Tensor pictures() {
  return normal(kClips * kFrames, 120, {1, "pictures"}, torch::empty({0})).view({-1, 1, 12, 10});
}

Tensor by_chain(const Tensor& x, const Stack& stack) {
  return bf16_chain(x.permute({0, 2, 3, 1}), stack.chain(), ChainEnd::kPooled);
}

/// The same by LibTorch, layer by layer; with `rounds` in float64, rounded where ours are.
Tensor by_layers(const Tensor& x, const Stack& stack, bool rounds) {
  const auto round = [&](const Tensor& t, bool forward = true) {
    return rounds ? Round::apply(t, forward) : t;
  };
  if (rounds) stack.root->to(torch::kFloat64);
  Tensor y = rounds ? to_bf16_and_back(x.to(torch::kFloat64)) : x;
  const std::vector<ChainLayer> chain = stack.chain();
  for (size_t i = 0; i < chain.size(); ++i) {
    const kernels::ConvolutionSizes& of = chain[i].sizes;
    y = y.permute({0, 2, 3, 1})
            .contiguous()
            .view({of.images, of.height, of.width, of.in})
            .permute({0, 3, 1, 2});
    const Tensor weight = stack.convolutions[i]->weight;
    const Tensor used = rounds ? rounded_weight(weight) : weight;
    const Tensor sums = round(convolution(y, used, stack.convolutions[i]->shape()));
    y = round(stack.norms[i]->forward(sums).relu(), i + 1 < chain.size());
  }
  return y.mean({2, 3});
}

Tensor in_float32(const Tensor& x, const Stack& stack) { return by_layers(x, stack, false); }
Tensor rounded_in_float64(const Tensor& x, const Stack& stack) { return by_layers(x, stack, true); }

struct Outcome {
  Tensor y;
  std::vector<Tensor> gradients, buffers;
};

template <class Forward>
Outcome outcome(const Forward& forward) {
  const Stack stack;
  Outcome out;
  out.y = forward(pictures(), stack);
  const Tensor weights =
      normal(out.y.size(0), out.y.size(1), {1, "weights"}, torch::empty({0})).to(out.y.dtype());
  (out.y * weights).sum().backward();
  for (const Tensor& p : stack.root->parameters()) out.gradients.push_back(p.grad());
  for (const Tensor& b : stack.root->buffers()) out.buffers.push_back(b);
  return out;
}

TEST(ClipChain, IsLibTorchsLayersRoundedWhereOursAre) {
  const Outcome ours = outcome(&by_chain);
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

TEST(ClipChain, GoesWhereFloat32Goes) {
  const Outcome ours = outcome(&by_chain);
  const Outcome theirs = outcome(&in_float32);
  EXPECT_LT(apart(ours.y, theirs.y), 5e-3);
  for (size_t i = 0; i < ours.gradients.size(); ++i) {
    const Tensor cosine =
        torch::cosine_similarity(ours.gradients[i].flatten(), theirs.gradients[i].flatten(), 0);
    EXPECT_GT(cosine.item<double>(), 0.98) << "parameter " << i;
  }
}

TEST(ClipChain, UsesRunningStatisticsWhenItDoesNotTrain) {
  const Stack stack;
  by_chain(pictures(), stack);  // the statistics leave where they began
  stack.root->eval();
  const Tensor before = stack.norms[1]->running_mean.clone();
  const Tensor ours = by_chain(pictures(), stack);
  const Tensor theirs = in_float32(pictures(), stack);
  EXPECT_LT(apart(ours, theirs), 5e-3);
  EXPECT_TRUE(stack.norms[1]->running_mean.equal(before));
  const std::vector<Tensor> parameters = stack.root->parameters();
  const auto one = torch::autograd::grad({ours.square().sum()}, parameters);
  const auto other = torch::autograd::grad({theirs.square().sum()}, parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_LT(apart(one[i], other[i]), 5e-2) << i;
  }
}

TEST(ClipChain, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = kernels::threads();
  kernels::set_threads(1);
  const Outcome one = outcome(&by_chain);
  for (const int threads : {2, 3, 4}) {
    kernels::set_threads(threads);
    const Outcome many = outcome(&by_chain);
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

TEST(ClipChain, CoversBfloat16OnMachinesThatAreFastAtIt) {
  const Stack stack;
  EXPECT_FALSE(chain_covers(pictures(), stack.chain(), {})) << "float32 is the default";
  const Compute bf16{.precision = Precision::kBfloat16};
  const std::string set = kernels::instruction_set();
  const bool fast = set != "baseline" && set != "avx2";
  EXPECT_EQ(chain_covers(pictures(), stack.chain(), bf16), fast);
  const Compute reference{.kernels = Kernels::kReference, .precision = Precision::kBfloat16};
  EXPECT_FALSE(chain_covers(pictures(), stack.chain(), reference));
  EXPECT_FALSE(chain_covers(pictures().to(torch::kFloat64), stack.chain(), bf16));
  EXPECT_EQ(chain_covers(pictures().requires_grad_(), stack.chain(), bf16), fast);
  EXPECT_FALSE(chain_covers(pictures().repeat({1, 3, 1, 1}), stack.chain(), bf16))
      << "three channels, not one";
  stack.norms[1]->eval();
  EXPECT_EQ(chain_covers(pictures(), stack.chain(), bf16), fast);
}

TEST(ClipChain, GivesItsPicturesAGradient) {
  const auto gradient = [](const auto& forward) {
    const Stack stack;
    const Tensor x = pictures().set_requires_grad(true);
    const Tensor y = forward(x, stack);
    (y * normal(y.size(0), y.size(1), {1, "weights"}, x)).sum().backward();
    return x.grad();
  };
  const Tensor ours = gradient(&by_chain).flatten();
  const Tensor theirs = gradient(&in_float32).flatten();
  EXPECT_GT(torch::cosine_similarity(ours, theirs, 0).item<double>(), 0.98);
}

TEST(ClipChain, LeavesFrozenParametersAlone) {
  const Stack stack;
  stack.convolutions[1]->weight.requires_grad_(false);
  by_chain(pictures(), stack).square().sum().backward();
  EXPECT_FALSE(stack.convolutions[1]->weight.grad().defined());
  EXPECT_GT(stack.convolutions[0]->weight.grad().norm().item<double>(), 0);
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

TEST(ClipChain, RefusesGradientsItCannotGive) {
  const Stack stack;
  const Tensor twice = by_chain(pictures(), stack).sum();
  twice.backward({}, /*retain_graph=*/true);
  expect_refusal([&] { twice.backward(); }, "asked for twice");
  const Tensor second = by_chain(pictures(), stack).sum();
  expect_refusal(
      [&] {
        torch::autograd::grad({second}, {stack.convolutions[0]->weight}, {}, /*retain_graph=*/true,
                              /*create_graph=*/true);
      },
      "no second derivative");
  const Tensor stale = by_chain(pictures(), stack).sum();
  {
    const torch::NoGradGuard no_grad;
    stack.convolutions[2]->weight.mul_(2);
  }
  expect_refusal([&] { stale.backward(); }, "changed between");
}

}  // namespace
}  // namespace adassl::nn
