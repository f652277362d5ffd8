#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/nn/built_network.h"
#include "adassl/nn/resnet.h"
#include "adassl/nn/tensors.h"
#include "nn/rounding.h"
#include "support/error_message.h"

/// The decoder that mirrors a residual network, and the layers that only decoders have.
namespace adassl::nn {
namespace {

using testing::error_of;

Tensor normals(int64_t rows, int64_t columns, const char* name = "z") {
  return normal(rows, columns, {1, name}, torch::empty({0}));
}

/// What a network of one layer without parameters makes of x, whose observations have this size.
Tensor through(const Layer& layer, const Tensor& x, const Size& size) {
  torch::nn::Module root;
  return BuiltNetwork(root, {layer}, size, default_compute()).forward(x);
}

TEST(Upsampling, RepeatsPixelsAndDropsTheLastWhereTheSizeIsOdd) {
  const Tensor x = torch::tensor({1.F, 2.F, 3.F, 4.F, 5.F, 6.F}).view({1, 1, 2, 3});
  const Size size{1, {1, 2, 3}};
  const Tensor even = x.repeat_interleave(2, 2).repeat_interleave(2, 3);
  EXPECT_TRUE(through(upsample({1, 4, 6}), x, size).equal(even));
  EXPECT_TRUE(through(upsample({1, 3, 5}), x, size).equal(even.slice(2, 0, 3).slice(3, 0, 5)));
}

TEST(Upsampling, RestoresEverySizeAStrideOfTwoMayComeFrom) {
  for (int64_t side = 1; side <= 224; ++side) {
    const Size image{3, {1, side, 225 - side}};
    const Size half = size_after(convolution("a", 3, 3, 2), image);
    EXPECT_EQ(size_after(upsample(image.grid), half), image);
    const Tensor x = torch::arange(half.grid.pixels(), torch::kFloat32)
                         .view({1, 1, half.grid.height, half.grid.width});
    const Tensor doubled = x.repeat_interleave(2, 2).repeat_interleave(2, 3);
    EXPECT_TRUE(through(upsample(image.grid), x, {1, half.grid})
                    .equal(doubled.slice(2, 0, side).slice(3, 0, 225 - side)))
        << side;
  }
}

TEST(Upsampling, KeepsFramesApart) {
  const Size clip{2, {3, 4, 5}};
  const Tensor x = normals(2, clip.numbers()).view({2, 2, 3, 4, 5});
  const Tensor y = through(upsample({1, 8, 10}), x, clip);  // [B T, C, H, W]
  EXPECT_TRUE(y[4].equal(x[1].select(1, 1).repeat_interleave(2, 1).repeat_interleave(2, 2)));
}

TEST(Reshape, IsTheInverseOfFlatten) {
  for (const Size size : {Size{5, {1, 3, 2}}, Size{4, {3, 2, 2}}}) {
    const Tensor x = normals(3, size.numbers());
    torch::nn::Module root;
    const Network there_and_back = {reshape(size.channels, size.grid), flatten()};
    EXPECT_TRUE(BuiltNetwork(root, there_and_back, {size.numbers()}, default_compute())
                    .forward(x)
                    .equal(x));
  }
}

TEST(Network, RefusesReshapesAndUpsamplingsThatDoNotFit) {
  EXPECT_EQ(error_of([] {
              size_after(reshape(4, {1, 3, 3}), {35});
            }),
            "[network] reshape: expected a vector of 36 numbers, got 35");
  EXPECT_EQ(error_of([] {
              size_after(upsample({1, 8, 7}), {4, {1, 4, 3}});
            }),
            "[network] upsampling: expected a size that a stride of 2 takes to 4 x 3, got 8 x 7");
}

TEST(Network, CountsUpsampledPixelsAndNoOthers) {
  // As without upsampling, on an image of the new size.
  const Network network = {linear("l", 2 * 4, true), reshape(2, {1, 2, 2}), upsample({1, 4, 4}),
                           convolution("a", 5, 3)};
  EXPECT_EQ(flops(network, {3}).total,
            2.0 * 3 * 8 + flops({convolution("a", 5, 3)}, {2, {1, 4, 4}}).total);
  EXPECT_EQ(flops(network, {3}).first, 2.0 * 3 * 8);
  EXPECT_EQ(footprint(network, {3}, false).kept, 8 + 2 * 16 + 5 * 16);
}

TEST(MirroredResNet, EndsWithTheImage) {
  for (const Stem stem : {Stem::kSmall, Stem::kLarge, Stem::kTorchvision}) {
    for (const auto& [height, width] :
         {std::pair{32, 32}, std::pair{33, 47}, std::pair{64, 64}, std::pair{65, 96},
          std::pair{128, 128}, std::pair{223, 224}, std::pair{224, 224}}) {
      for (const int64_t channels : {1, 3}) {
        const Size image{channels, {1, height, width}};
        EXPECT_EQ(size_after(mirrored_resnet({18, 24, stem}, image), {16}), image) << height;
      }
    }
  }
}

/// Between 8 and 64 channels, from the size of the encoder's last feature map on.
TEST(MirroredResNet, HasTheSizesOfTheEncoderInReverse) {
  std::vector<Size> sizes;
  const Network network = mirrored_resnet({18, 8, Stem::kLarge}, {3, {1, 128, 128}});
  for (const PlacedLayer& of : placed_layers(network, {16})) {
    if (sizes.empty() || sizes.back() != of.after) sizes.push_back(of.after);
  }
  const auto square = [](int64_t channels, int64_t side) {
    return Size{channels, {1, side, side}};
  };
  // A shortcut is placed behind its body, so its upsampling appears once more.
  const std::vector<Size> expected = {
      {64 * 64},      square(64, 8),  square(64, 16), square(32, 16),
      square(64, 16), square(32, 16), square(32, 32), square(16, 32),
      square(32, 32), square(16, 32), square(16, 64), square(8, 64),
      square(16, 64), square(8, 64),  square(8, 128), square(3, 128)};
  EXPECT_EQ(sizes, expected);
}

TEST(MirroredResNet, RefusesOtherDepths) {
  EXPECT_EQ(error_of([] {
              mirrored_resnet({50}, {3, {1, 64, 64}});
            }),
            "[resnet] expected a network of depth 18 to mirror, got 50");
}

struct Outcome {
  Tensor y;
  std::vector<Tensor> gradients, buffers;
};

Outcome outcome(const Size& image, Kernels kernels) {
  const auto compute = default_compute();
  compute->kernels = kernels;
  const auto root = std::make_shared<torch::nn::Module>("root");
  const BuiltNetwork network(*root, mirrored_resnet({18, 8, Stem::kLarge, false}, image), {5},
                             compute);
  initialise(*root, 1);
  Outcome out{network.forward(normals(6, 5)), {}, {}};
  const Tensor weights = normals(6, image.numbers(), "weights").view(out.y.sizes());
  (out.y * weights).sum().backward();
  for (const Tensor& of : root->parameters()) out.gradients.push_back(of.grad());
  for (const Tensor& of : root->buffers()) out.buffers.push_back(of);
  return out;
}

TEST(MirroredResNet, FusedEqualsReference) {
  const Size image{3, {1, 33, 32}};
  const Outcome ours = outcome(image, Kernels::kFused);
  const Outcome theirs = outcome(image, Kernels::kReference);
  EXPECT_EQ(ours.y.sizes(), (std::vector<int64_t>{6, 3, 33, 32}));
  EXPECT_LT(apart(ours.y, theirs.y), 1e-5);
  for (size_t i = 0; i < ours.gradients.size(); ++i) {
    EXPECT_LT(apart(ours.gradients[i], theirs.gradients[i]), 1e-4) << i;
  }
  for (size_t i = 0; i < ours.buffers.size(); ++i) {
    EXPECT_LT(apart(ours.buffers[i], theirs.buffers[i]), 1e-5) << i;
  }
}

TEST(MirroredResNet, TellsThatItsConvolutionsStayInFloat32) {
  const auto compute = default_compute();
  compute->precision = Precision::kBfloat16;
  torch::nn::Module root;
  BuiltNetwork(root, mirrored_resnet({18, 8}, {3, {1, 32, 32}}), {5}, compute);
  if (!compute->multiplies_in_bf16()) return;
  EXPECT_THAT(compute->fallbacks,
              ::testing::ElementsAre(
                  "convolutions are in float32: no chain of bfloat16 kernels covers them"));
}

}  // namespace
}  // namespace adassl::nn
