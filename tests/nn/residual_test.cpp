#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"
#include "adassl/nn/bf16_chain.h"
#include "adassl/nn/convolution.h"
#include "adassl/nn/tensors.h"
#include "nn/rounding.h"
#include "support/error_message.h"

/// Residual blocks by `bf16_chain`, against LibTorch's layers.
namespace adassl::nn {
namespace {

constexpr int64_t kImages = 5;
constexpr int64_t kSide = 9;

enum class Mode { kTraining, kEvaluation };

/// A convolution, and the norm behind it.
struct NormedConvolution : torch::nn::Module {
  explicit NormedConvolution(const ConvolutionShape& shape)
      : convolution(register_module("convolution", std::make_shared<Convolution>(shape))),
        norm(register_module("norm", std::make_shared<BatchNorm>(shape.out))) {}
  Tensor& weight() { return convolution->weight; }
  const ConvolutionShape& shape() const { return convolution->shape(); }
  std::shared_ptr<Convolution> convolution;
  std::shared_ptr<BatchNorm> norm;
};

/// A stem, a block whose shortcut is its input, and one whose shortcut is a convolution. When it
/// does not train, its norms have running statistics that are none of a new one.
struct Network {
  explicit Network(Mode mode = Mode::kTraining) {
    const auto add = [&](const ConvolutionShape& shape) {
      layers.push_back(std::make_shared<NormedConvolution>(shape));
      initialise(*layers.back(), layers.size());
      const torch::NoGradGuard no_grad;
      layers.back()->norm->bias.fill_(0.3);
    };
    add({3, 16, {3, 3}, {1, 1}, {1, 1}});
    add({16, 16, {3, 3}, {1, 1}, {1, 1}});
    add({16, 16, {3, 3}, {1, 1}, {1, 1}});
    add({16, 40, {3, 3}, {2, 2}, {1, 1}});
    add({16, 40, {1, 1}, {2, 2}, {0, 0}});
    add({40, 40, {3, 3}, {1, 1}, {1, 1}});
    if (mode == Mode::kTraining) return;
    for (const auto& layer : layers) {
      layer->eval();
      layer->norm->running_mean.fill_(0.2);
      layer->norm->running_var.fill_(1.7);
    }
  }

  ChainLayer layer(size_t i, int64_t side) const {
    const ConvolutionShape& shape = layers[i]->shape();
    return {{kImages, side, side, shape.in, shape.out, shape.kernel, shape.stride, shape.padding},
            layers[i]->weight(),
            layers[i]->norm.get()};
  }
  std::vector<ChainLayer> chain() const {
    std::vector<ChainLayer> out = {layer(0, kSide), layer(1, kSide), layer(2, kSide),
                                   layer(3, kSide), layer(4, kSide), layer(5, (kSide + 1) / 2)};
    out[2].adds_back = 2;   // the stem
    out[4].reads_back = 2;  // the first block
    out[4].without_relu = true;
    out[5].reads_back = 2;
    out[5].adds_back = 1;
    return out;
  }

  std::vector<std::shared_ptr<NormedConvolution>> layers;
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
    NormedConvolution& layer = *network.layers[i];
    return layer.norm->forward(
        round(convolution(in, rounded_weight(layer.weight()), layer.shape())));
  };
  const Tensor exact = normed(0, to_bf16_and_back(x.to(torch::kFloat64))).relu();
  const Tensor stem = round(exact);
  const Tensor added = stem + (exact - stem).detach();  // is not rounded for that
  const Tensor one = round(normed(1, stem).relu());
  const Tensor two = round((normed(2, one) + added).relu());
  const Tensor three = round(normed(3, two).relu());
  return round((normed(5, three) + normed(4, two)).relu()).mean({2, 3});
}

struct Outcome {
  Tensor y;
  std::vector<Tensor> gradients, buffers;
};

template <class Forward>
Outcome outcome(const Forward& forward, Mode mode = Mode::kTraining) {
  const Network network(mode);
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
  for (const Mode mode : {Mode::kTraining, Mode::kEvaluation}) {
    SCOPED_TRACE(mode == Mode::kTraining ? "training" : "evaluation");
    const Outcome ours = outcome(&by_chain, mode);
    const Outcome theirs = outcome(&by_layers, mode);
    EXPECT_LT(apart(ours.y, theirs.y), 2e-3);
    ASSERT_EQ(ours.gradients.size(), 18U);
    for (size_t i = 0; i < ours.gradients.size(); ++i) {
      EXPECT_LT(apart(ours.gradients[i], theirs.gradients[i]), kAcrossLayers) << "parameter " << i;
    }
    for (size_t i = 0; i < ours.buffers.size(); ++i) {
      EXPECT_LT((ours.buffers[i] - theirs.buffers[i]).abs().max().item<double>(), 1e-3) << i;
    }
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
  EXPECT_LT(apart(x.grad(), exact.grad()), kAcrossLayers);
}

/// A chain and its definition on the network's first layers, which the latter gets normed: what
/// leaves them, and the gradients of weights and of x.
template <class Definition>
void expect_alike(const std::vector<ChainLayer>& chain, const Network& ours,
                  const Definition& definition) {
  const Network theirs;
  const auto normed = [&](size_t i, const Tensor& in) {
    NormedConvolution& layer = *theirs.layers[i];
    layer.to(torch::kFloat64);
    const Tensor sums = convolution(in, rounded_weight(layer.weight()), layer.shape());
    return layer.norm->forward(Round::apply(sums, true));
  };
  const Tensor weights = normal(kImages, 16, {1, "weights"}, torch::empty({0}));
  const Tensor x = pictures().set_requires_grad(true);
  const Tensor y = bf16_chain(x.permute({0, 2, 3, 1}), chain, ChainEnd::kPooled);
  (y * weights).sum().backward();
  const Tensor exact = pictures().to(torch::kFloat64).set_requires_grad(true);
  const Tensor expected = definition(normed, Round::apply(exact, true)).mean({2, 3});
  (expected * weights.to(torch::kFloat64)).sum().backward();
  EXPECT_LT(apart(y, expected), 2e-3);
  EXPECT_LT(apart(x.grad(), exact.grad()), kAcrossLayers);
  for (size_t i = 0; i < ours.layers.size(); ++i) {
    const Tensor& expected_gradient = theirs.layers[i]->weight().grad();
    const Tensor& gradient = ours.layers[i]->weight().grad();
    ASSERT_EQ(gradient.defined(), expected_gradient.defined()) << i;
    if (!gradient.defined()) continue;
    EXPECT_LT(apart(gradient, expected_gradient), kAcrossLayers) << i;
  }
}

/// relu(norm(conv(y)) + y), twice on the same y: its gradient comes from four places.
TEST(ResidualChain, AddsWhatItReadsAndReadsItAgain) {
  const Network network;
  std::vector<ChainLayer> chain = {network.layer(0, kSide), network.layer(1, kSide),
                                   network.layer(2, kSide)};
  chain[1].adds_back = 1;
  chain[2].adds_back = 2;
  expect_alike(chain, network, [](const auto& normed, const Tensor& x) {
    const Tensor exact = normed(0, x).relu();
    const Tensor stem = Round::apply(exact, true);
    const Tensor added = stem + (exact - stem).detach();
    const Tensor one = Round::apply((normed(1, stem) + added).relu(), true);
    return Round::apply((normed(2, one) + added).relu(), true);
  });
}

/// The same layer twice, once as a shortcut: the gradients of x and of weights come from both.
TEST(ResidualChain, ReadsItsInputTwice) {
  const Network network;
  std::vector<ChainLayer> chain = {network.layer(0, kSide), network.layer(0, kSide),
                                   network.layer(2, kSide)};
  chain[1].reads_back = 2;
  chain[1].without_relu = true;
  chain[2].reads_back = 2;
  chain[2].adds_back = 1;
  expect_alike(chain, network, [](const auto& normed, const Tensor& x) {
    const Tensor one = Round::apply(normed(0, x).relu(), true);
    return Round::apply((normed(2, one) + normed(0, x)).relu(), true);
  });
}

TEST(ResidualChain, RefusesLayersThatDoNotFitOnEachOther) {
  const Network network;
  const auto refusal = [&](const auto& spoil, ChainEnd end = ChainEnd::kPooled) {
    std::vector<ChainLayer> layers = network.chain();
    spoil(layers);
    return testing::error_of([&] { bf16_chain(pictures().permute({0, 2, 3, 1}), layers, end); });
  };
  using Layers = std::vector<ChainLayer>;
  EXPECT_EQ(refusal([](Layers&) {}), "(no error)");
  EXPECT_EQ(refusal([](Layers& l) { l[5].adds_back = 0; }),
            "[bf16] layer 4 has no ReLU: one other layer may add it, and none read it");
  EXPECT_EQ(refusal([](Layers& l) { l[4].without_relu = false; }),
            "[bf16] layer 4 is read by no later one");
  EXPECT_EQ(refusal([](Layers& l) { l[4].reads_back = 6; }),
            "[bf16] layer 4 reads 6 back and adds 0 back, where 4 layers and x are before it");
  EXPECT_EQ(refusal([](Layers& l) { l[0].adds_back = 1; }),
            "[bf16] layer 0 reads 1 back and adds 1 back, where 0 layers and x are before it");
  EXPECT_EQ(refusal([](Layers& l) { l[1].sizes.in = 4; }),
            "[bf16] layer 1 reads 405 x 4 numbers, where there are 405 x 16");
  EXPECT_EQ(refusal([](Layers& l) { l[5].adds_back = 3; }),
            "[bf16] layer 5 adds numbers of another shape than its own");
  EXPECT_EQ(refusal([](Layers& l) {
              l[1].weight = torch::zeros({2, 2});
            }),
            "[bf16] layer 1 has 4 weights, expected 2304");
  EXPECT_EQ(refusal([](Layers& l) { l[5].without_relu = true; }),
            "[bf16] layer 5 adds something: then it has a ReLU");
  EXPECT_EQ(refusal([](Layers&) {}, ChainEnd::kLinear),
            "[bf16] a linear end has neither norm nor shortcut");
  EXPECT_EQ(refusal([](Layers& l) { l.clear(); }), "[bf16] expected layers");
  EXPECT_EQ(refusal([](Layers& l) {
              l.resize(1);
              l[0].without_relu = true;
            }),
            "[bf16] the last layer has no ReLU: then another one must add it");
}

}  // namespace
}  // namespace adassl::nn
