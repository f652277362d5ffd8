#include "adassl/nn/network.h"

#include <gtest/gtest.h>

#include "adassl/kernels/threads.h"
#include "adassl/nn/built_network.h"
#include "adassl/nn/resnet.h"
#include "adassl/nn/tensors.h"
#include "nn/rounding.h"
#include "support/error_message.h"

namespace adassl::nn {
namespace {

constexpr Size kImage{3, {1, 32, 32}};

int64_t count(const std::vector<ParameterShape>& parameters) {
  int64_t out = 0;
  for (const auto& of : parameters) {
    int64_t numbers = 1;
    for (const int64_t extent : of.shape) numbers *= extent;
    out += numbers;
  }
  return out;
}

// ---- descriptions

/// torchvision's resnet18 and resnet50 have 11,689,512 and 25,557,032 parameters, of which the
/// classifiers have 513,000 and 2,049,000.
TEST(ResNet, HasTheParametersOfTorchvision) {
  const Size image{3, {1, 224, 224}};
  EXPECT_EQ(count(parameters_of(resnet({18, 64, Stem::kTorchvision}), image)), 11'176'512);
  EXPECT_EQ(count(parameters_of(resnet({50, 64, Stem::kTorchvision}), image)), 23'508'032);
}

/// torchvision's need 1.814 and 4.089 billion multiplications for 224 pixels, where taps that fall
/// on the padding count, too; these are less than a tenth.
TEST(ResNet, HasTheProductsOfTorchvision) {
  const Size image{3, {1, 224, 224}};
  for (const auto& [depth, expected] : {std::pair{18, 1.814e9}, std::pair{50, 4.089e9}}) {
    const double products = flops(resnet({depth, 64, Stem::kTorchvision}), image).total / 2;
    EXPECT_LT(products, expected);
    EXPECT_GT(products, 0.9 * expected);
  }
}

TEST(ResNet, HalvesTheImageFromStageToStage) {
  for (const auto& [stem, pixels, side] :
       {std::tuple{Stem::kSmall, 64, 8}, std::tuple{Stem::kLarge, 128, 8},
        std::tuple{Stem::kTorchvision, 224, 7}}) {
    Network network = resnet({18, 64, stem});
    network.resize(network.size() - 2);  // without pooling
    EXPECT_EQ(size_after(network, {3, {1, pixels, pixels}}), (Size{512, {1, side, side}}));
  }
}

TEST(ResNet, RefusesOtherDepths) {
  EXPECT_EQ(testing::error_of([] { resnet({34}); }), "[resnet] depth: expected 18 or 50, got 34");
}

TEST(Network, RefusesLayersThatDoNotFitOnEachOther) {
  EXPECT_EQ(testing::error_of([] { size_after({linear("last", 4, true)}, kImage); }),
            "[network] last: expected a vector before a linear layer; flatten comes first");
  EXPECT_EQ(testing::error_of([] {
              size_after({residual({convolution("a", 8, 3), norm("b")})}, kImage);
            }),
            "[network] expected a shortcut of the size of the body: 8 channels, got 3");
  EXPECT_EQ(testing::error_of([] { residual({convolution("a", 8, 3)}); }),
            "[network] expected a residual block whose body and shortcut end with a norm");
  EXPECT_EQ(testing::error_of([] {
              size_after({max_pool(8, 2)}, {3, {0, 40, 40}});
            }),
            "[network] max pooling: expected an observation of at least 1 x 8 x 8 with its "
            "padding, got 0 x 40 x 40");
}

TEST(Network, CountsProductsWithoutThePadding) {
  // 3 x 3 over 4 x 4 pixels: 10 of 12 taps of each axis do not fall on the padding.
  const Flops of = flops({convolution("a", 5, 3)}, {2, {1, 4, 4}});
  EXPECT_EQ(of.total, 2.0 * 2 * 5 * 10 * 10);
  EXPECT_EQ(of.step(), 2 * of.total);  // nobody asks for the gradient of x
  EXPECT_EQ(flops({linear("a", 7, true)}, {3}).total, 2.0 * 3 * 7);
}

TEST(Network, KeepsWhatTheBackwardPassReads) {
  const Network block = {convolution("a", 8, 3), norm("b"), relu()};
  EXPECT_EQ(footprint(block, kImage, false).kept, 2 * 8 * 32 * 32);
  EXPECT_EQ(footprint(block, kImage, true).kept, 8 * 32 * 32 / 2);
  const Network perceptron = {linear("a", 10, true), relu(), linear("b", 4, true)};
  EXPECT_EQ(footprint(perceptron, {3}, false).kept, 10 + 10 + 4);
  EXPECT_EQ(footprint({mean_pool(), flatten()}, {8, {1, 4, 4}}, false).kept, 8);
  EXPECT_EQ(footprint({mean_pool(), flatten()}, {8, {3, 4, 4}}, false).kept, 3 * 8);
}

// ---- networks with parameters

struct Built {
  explicit Built(const Network& layers, const Size& input = kImage,
                 ComputePtr compute = default_compute())
      : root(std::make_shared<torch::nn::Module>("root")), network(*root, layers, input, compute) {
    initialise(*root, 1);
  }
  std::shared_ptr<torch::nn::Module> root;
  BuiltNetwork network;
};

Tensor images(int64_t batch, const Size& size = kImage) {
  return normal(batch, size.numbers(), {1, "images"}, torch::empty({0}))
      .view({batch, size.channels, size.grid.height, size.grid.width});
}

TEST(BuiltNetwork, RegistersTheParametersThatItsDescriptionHas) {
  const Network network = resnet({50, 4, Stem::kTorchvision});
  const Built built(network);
  const auto parameters = built.root->named_parameters();
  const auto expected = parameters_of(network, kImage);
  ASSERT_EQ(parameters.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(parameters[i].key(), expected[i].name);
    EXPECT_EQ(parameters[i].value().sizes().vec(), expected[i].shape) << expected[i].name;
  }
}

TEST(BuiltNetwork, DrawsConvolutionsByKaimingAndZeroGains) {
  const Built built(resnet({18, 16, Stem::kSmall}));
  const auto parameters = built.root->named_parameters();
  const Tensor weight = parameters["layer4.1.conv2.weight"];  // [128, 128, 3, 3]
  EXPECT_NEAR(weight.std().item<double>(), std::sqrt(2.0 / (128 * 9)), 3e-4);
  EXPECT_EQ(parameters["layer4.1.bn2.weight"].abs().max().item<double>(), 0);
  EXPECT_EQ(parameters["layer4.1.bn1.weight"].min().item<double>(), 1);
}

struct Gradients {
  Tensor y;
  std::vector<Tensor> parameters, buffers;
};

Gradients gradients(const Network& network, const ComputePtr& compute) {
  const Built built(network, kImage, compute);
  Gradients out{built.network.forward(images(6)), {}, {}};
  const Tensor weights = normal(6, out.y.size(1), {1, "weights"}, torch::empty({0}));
  (out.y * weights).sum().backward();
  for (const Tensor& of : built.root->parameters()) out.parameters.push_back(of.grad());
  for (const Tensor& of : built.root->buffers()) out.buffers.push_back(of);
  return out;
}

ComputePtr compute_with(Kernels kernels) {
  const auto out = default_compute();
  out->kernels = kernels;
  return out;
}

TEST(BuiltNetwork, FusedEqualsReference) {
  const Network network = resnet({18, 8, Stem::kTorchvision, false});
  const Gradients ours = gradients(network, compute_with(Kernels::kFused));
  const Gradients theirs = gradients(network, compute_with(Kernels::kReference));
  EXPECT_LT(apart(ours.y, theirs.y), 1e-5);
  for (size_t i = 0; i < ours.parameters.size(); ++i) {
    EXPECT_LT(apart(ours.parameters[i], theirs.parameters[i]), 1e-4) << i;
  }
  for (size_t i = 0; i < ours.buffers.size(); ++i) {
    EXPECT_LT(apart(ours.buffers[i], theirs.buffers[i]), 1e-5) << i;
  }
}

/// A block that ends over time adds each frame to itself, in whichever order its layers hold them.
TEST(BuiltNetwork, AddsFramesToFramesInABlockOverTime) {
  const Size clip{2, {3, 4, 5}};
  const Layer over_time = time_convolution("conv", 2, 3);
  const Built with(Network{residual({over_time, norm("norm")})}, clip);
  const Built alone(Network{over_time, norm("norm")}, clip);
  with.root->eval();
  alone.root->eval();
  const Tensor x = normal(6, clip.numbers(), {1, "clips"}, torch::empty({0})).view({6, 2, 3, 4, 5});
  const auto frames = [](const Tensor& y) {
    return y.permute({0, 2, 3, 1}).reshape({6, 3, 4, 5, 2});
  };
  const Tensor expected =
      (frames(alone.network.forward(x)) + x.permute({0, 2, 3, 4, 1})).clamp_min(0);
  EXPECT_LT(apart(frames(with.network.forward(x)), expected), 1e-5);
}

/// Of the kernels that a network adds to LibTorch's convolutions, which have one thread here.
TEST(BuiltNetwork, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = kernels::threads();
  const Network network = resnet({18, 8, Stem::kSmall, false});
  kernels::set_threads(1);
  const Gradients one = gradients(network, default_compute());
  kernels::set_threads(3);
  const Gradients many = gradients(network, default_compute());
  kernels::set_threads(before);
  EXPECT_TRUE(one.y.equal(many.y));
  for (size_t i = 0; i < one.parameters.size(); ++i) {
    EXPECT_TRUE(one.parameters[i].equal(many.parameters[i])) << i;
  }
}

// ---- in bfloat16

TEST(NetworkChain, CoversWholeResNets) {
  for (const int64_t depth : {18, 50}) {
    for (const Stem stem : {Stem::kSmall, Stem::kLarge, Stem::kTorchvision}) {
      EXPECT_EQ(chain_start(Built(resnet({depth, 4, stem})).network.layers()), 0U) << depth;
    }
  }
}

TEST(NetworkChain, PoolsOnlyBehindAReluAndBeforeAnotherLayer) {
  const Network stem = {convolution("a", 3, 3), norm("a.norm"), relu()};
  const auto starts = [&](const Network& behind, const Size& input) {
    Network all = stem;
    all.insert(all.end(), behind.begin(), behind.end());
    all.push_back(mean_pool());
    return chain_start(Built(all, input).network.layers());
  };
  const Size image{3, {1, 8, 8}}, clip{3, {4, 8, 8}};
  const Network last = {convolution("b", 3, 3), norm("b.norm"), relu()};
  const auto pooled = [&](Network then) {
    then.insert(then.begin(), max_pool(3, 2));
    return then;
  };
  EXPECT_EQ(starts(pooled(last), image), 0U);
  EXPECT_EQ(starts(pooled(last), clip), 0U);
  EXPECT_EQ(starts(pooled(pooled(last)), image), 5U);
  EXPECT_FALSE(starts(pooled({}), image));
  EXPECT_EQ(starts({time_convolution("t", 3, 3), norm("t.norm"), relu(), max_pool(3, 2), last[0],
                    last[1], last[2]},
                   clip),
            7U);
}

TEST(NetworkChain, DoesNotPoolOverTime) {
  const Size clip{3, {4, 6, 6}};
  const auto starts = [&](const Network& layers) {
    return chain_start(Built(layers, clip).network.layers());
  };
  const Layer over_time = time_convolution("b", 3, 3);
  EXPECT_FALSE(starts({convolution("a", 3, 3), norm("a.norm"), relu(), over_time, norm("b.norm"),
                       relu(), mean_pool()}));
  const Layer block = residual({over_time, norm("b.norm")});
  EXPECT_FALSE(starts({convolution("a", 3, 3), norm("a.norm"), relu(), block, mean_pool()}));
  EXPECT_EQ(starts({over_time, norm("b.norm"), relu(), convolution("a", 3, 3), norm("a.norm"),
                    relu(), mean_pool()}),
            0U);
}

/// The chain itself, whether or not this machine gains by it, follows the reference as closely as 8
/// bits of each number allow. With constant statistics: those of a small batch would amplify every
/// rounding, in float32 by a factor of 200 through 50 layers.
TEST(NetworkChain, ResemblesTheReference) {
  for (const int64_t depth : {18, 50}) {
    const Network network = resnet({depth, 8, Stem::kSmall, false});
    const Built built(network);
    built.root->eval();
    const Tensor x = images(6);
    const Tensor expected = built.network.forward(x);
    const auto chain = chain_from(built.network.layers(), 0, 6);
    const Tensor y = bf16_chain(x.permute({0, 2, 3, 1}), chain, ChainEnd::kPooled);
    EXPECT_LT(apart(y, expected), 0.03) << depth;
    const Tensor weights = normal(6, y.size(1), {1, "weights"}, torch::empty({0}));
    const Tensor last = built.root->named_parameters()["layer4.0.conv1.weight"];
    const auto gradient = [&](const Tensor& of) {
      return torch::autograd::grad({(of * weights).sum()}, {last})[0];
    };
    EXPECT_LT(apart(gradient(y), gradient(expected)), 0.2) << depth;
  }
}

}  // namespace
}  // namespace adassl::nn
