#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"
#include "adassl/nn/bf16_chain.h"
#include "adassl/nn/convolution.h"
#include "adassl/nn/tensors.h"
#include "nn/rounding.h"

/// Residual blocks by `bf16_chain`, against LibTorch's layers.
namespace adassl::nn {
namespace {

constexpr int64_t kImages = 5;
constexpr int64_t kSide = 9;

/// A stem, a block whose shortcut is its input, and one whose shortcut is a convolution.
struct Network {
  Network() {
    const auto add = [&](const ConvolutionShape& shape) {
      layers.push_back(std::make_shared<ConvolutionLayer>(shape));
      initialise(*layers.back(), layers.size());
      const torch::NoGradGuard no_grad;
      layers.back()->norm().bias.fill_(0.3);
    };
    add({3, 16, {3, 3}, {1, 1}, {1, 1}});
    add({16, 16, {3, 3}, {1, 1}, {1, 1}});
    add({16, 16, {3, 3}, {1, 1}, {1, 1}});
    add({16, 40, {3, 3}, {2, 2}, {1, 1}});
    add({16, 40, {1, 1}, {2, 2}, {0, 0}});
    add({40, 40, {3, 3}, {1, 1}, {1, 1}});
  }

  ChainLayer layer(size_t i, int64_t side) const {
    const ConvolutionShape& shape = layers[i]->shape();
    return {{kImages, side, side, shape.in, shape.out, shape.kernel, shape.stride, shape.padding},
            layers[i]->weight,
            &layers[i]->norm()};
  }
  std::vector<ChainLayer> chain() const {
    std::vector<ChainLayer> out = {layer(0, kSide), layer(1, kSide), layer(2, kSide),
                                   layer(3, kSide), layer(4, kSide), layer(5, (kSide + 1) / 2)};
    out[2].adds_back = 2;   // the stem
    out[4].reads_back = 2;  // the first block
    out[4].bare = true;
    out[5].reads_back = 2;
    out[5].adds_back = 1;
    return out;
  }

  std::vector<std::shared_ptr<ConvolutionLayer>> layers;
};

Tensor pictures() {
  return normal(kImages, 3 * kSide * kSide, {1, "pictures"}, torch::empty({0}))
      .view({kImages, 3, kSide, kSide});
}

Tensor by_chain(const Network& network, const Tensor& x) {
  return bf16_chain(x.permute({0, 2, 3, 1}), network.chain(), ChainEnd::kPooled);
}

/// In float64, rounded where the chain is.
Tensor by_layers(const Network& network, const Tensor& x) {
  for (const auto& layer : network.layers) layer->to(torch::kFloat64);
  const auto round = [](const Tensor& t) { return Round::apply(t, true); };
  const auto normed = [&](size_t i, const Tensor& in) {
    ConvolutionLayer& layer = *network.layers[i];
    const Tensor sums = convolution(in, rounded_weight(layer.weight), layer.shape());
    layer.norm().forward(sums);  // its running statistics
    return norm_of_rounded(sums, round(sums), layer.norm().weight, layer.norm().bias);
  };
  const Tensor stem = round(normed(0, to_bf16_and_back(x.to(torch::kFloat64))).relu());
  const Tensor one = round(normed(1, stem).relu());
  const Tensor two = round((normed(2, one) + stem).relu());
  const Tensor three = round(normed(3, two).relu());
  return round((normed(5, three) + normed(4, two)).relu()).mean({2, 3});
}

/// With gains a little larger: how far a few numbers on the other side of a rounding, and then of a
/// ReLU, move the gradients of so few pixels. Two correct answers may be that far apart; one
/// without a shortcut's gradient is ten times as far.
Tensor nudged(const Network& network, const Tensor& x) {
  const torch::NoGradGuard no_grad;
  for (const auto& layer : network.layers) layer->norm().weight.mul_(1.0003);
  const torch::AutoGradMode with_gradients(true);
  return by_layers(network, x);
}

struct Outcome {
  Tensor y;
  std::vector<Tensor> gradients, buffers;
};

template <class Forward>
Outcome outcome(const Forward& forward) {
  const Network network;
  Outcome out;
  out.y = forward(network, pictures());
  const Tensor weights = normal(kImages, 40, {1, "weights"}, torch::empty({0}));
  (out.y * weights.to(out.y.dtype())).sum().backward();
  for (const auto& layer : network.layers) {
    for (const Tensor& p : layer->parameters()) out.gradients.push_back(p.grad());
    for (const Tensor& b : layer->buffers()) out.buffers.push_back(b);
  }
  return out;
}

TEST(ResidualChain, IsLibTorchsLayersRoundedWhereOursAre) {
  const Outcome ours = outcome(&by_chain);
  const Outcome theirs = outcome(&by_layers);
  const Outcome others = outcome(&nudged);
  EXPECT_LT(apart(ours.y, theirs.y), 2e-3);
  ASSERT_EQ(ours.gradients.size(), 18U);
  for (size_t i = 0; i < ours.gradients.size(); ++i) {
    const double far = apart(ours.gradients[i], theirs.gradients[i]);
    EXPECT_LT(far, kAcrossLayers + 2 * apart(others.gradients[i], theirs.gradients[i])) << i;
    EXPECT_LT(far, 0.1) << "parameter " << i;
  }
  for (size_t i = 0; i < ours.buffers.size(); ++i) {
    EXPECT_LT((ours.buffers[i] - theirs.buffers[i]).abs().max().item<double>(), 1e-3) << i;
  }
}

TEST(ResidualChain, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = kernels::threads();
  kernels::set_threads(1);
  const Outcome one = outcome(&by_chain);
  kernels::set_threads(3);
  const Outcome many = outcome(&by_chain);
  kernels::set_threads(before);
  EXPECT_TRUE(many.y.equal(one.y));
  for (size_t i = 0; i < one.gradients.size(); ++i) {
    EXPECT_TRUE(many.gradients[i].equal(one.gradients[i])) << i;
  }
}

TEST(ResidualChain, GivesItsInputAGradient) {
  const Network ours, theirs;
  const Tensor weights = normal(kImages, 40, {1, "weights"}, torch::empty({0}));
  const Tensor x = pictures().set_requires_grad(true);
  (by_chain(ours, x) * weights).sum().backward();
  const Tensor exact = pictures().to(torch::kFloat64).set_requires_grad(true);
  (by_layers(theirs, Round::apply(exact, true)) * weights.to(torch::kFloat64)).sum().backward();
  EXPECT_LT(apart(x.grad(), exact.grad()), 0.1);
}

TEST(ResidualChain, RefusesLayersThatNobodyReads) {
  const Network network;
  const auto run = [&](const std::vector<ChainLayer>& layers) {
    return bf16_chain(pictures().permute({0, 2, 3, 1}), layers, ChainEnd::kPooled);
  };
  std::vector<ChainLayer> layers = network.chain();
  layers[5].adds_back = 0;
  EXPECT_THROW(run(layers), Error) << "the convolution beside the block leads nowhere";
  layers = network.chain();
  layers[4].bare = false;
  EXPECT_THROW(run(layers), Error) << "added, but never read";
}

}  // namespace
}  // namespace adassl::nn
