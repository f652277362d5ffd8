#include "adassl/nn/shared_convolution.h"

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"
#include "adassl/nn/tensors.h"
#include "nn/rounding.h"

/// LibTorch's convolutions, divided among our threads, against LibTorch's own in float64.
namespace adassl::nn {
namespace {

struct Case {
  const char* name;
  int64_t images, height, width;
  ConvolutionShape shape;
};

const Case kCases[] = {
    {"shares_of_images", 9, 50, 41, {5, 7, {3, 3}, {2, 1}, {1, 1}}},
    {"more_shares_than_images", 3, 96, 96, {2, 4, {5, 5}, {1, 1}, {2, 2}}},
    {"shares_of_channels", 6, 4, 4, {130, 200, {3, 3}, {1, 1}, {1, 1}}},
    {"one_share", 4, 6, 7, {3, 8, {3, 3}, {1, 1}, {1, 1}}},
    {"one_channel", 20, 32, 32, {1, 6, {7, 7}, {2, 2}, {3, 3}}},
    {"one_channel_out", 20, 32, 32, {6, 1, {3, 3}, {1, 1}, {1, 1}}},
    {"over_time", 5, 16, 256, {6, 9, {3, 1}, {1, 1}, {1, 0}}},
    {"single_pixels", 4, 56, 56, {12, 30, {1, 1}, {1, 1}, {0, 0}}},
    {"single_pixels_of_many_channels", 4, 7, 7, {130, 260, {1, 1}, {1, 1}, {0, 0}}},
    {"single_pixels_that_cannot_be_divided", 1, 1, 8209, {4, 5, {1, 1}, {1, 1}, {0, 0}}},
    {"every_other_pixel", 6, 40, 40, {8, 16, {1, 1}, {2, 2}, {0, 0}}},
};

struct Outcome {
  Tensor y, dx, dweight;
};

using Convolve = Tensor (*)(const Tensor&, const Tensor&, const ConvolutionShape&);

Outcome outcome(const Case& of, Convolve convolve, torch::ScalarType type = torch::kFloat32) {
  const auto drawn = [&](at::IntArrayRef sizes, const char* purpose) {
    const int64_t rows = sizes[0];
    return normal(rows, c10::multiply_integers(sizes) / rows, {1, purpose}, torch::empty({0}))
        .view(sizes)
        .to(type);
  };
  const ConvolutionShape& s = of.shape;
  const Tensor x = drawn({of.images, s.in, of.height, of.width}, "x").requires_grad_();
  const Tensor weight = drawn({s.out, s.in, s.kernel[0], s.kernel[1]}, "weight").requires_grad_();
  const Tensor y = convolve(x, weight, s);
  y.backward(drawn(y.sizes(), "dy"));
  return {y.detach(), x.grad(), weight.grad()};
}

class SharedConvolution : public ::testing::TestWithParam<Case> {
 protected:
  void TearDown() override { use_threads({}); }
};
INSTANTIATE_TEST_SUITE_P(Of, SharedConvolution, ::testing::ValuesIn(kCases),
                         [](const auto& of) { return of.param.name; });

/// As exact as LibTorch's float32, up to the order of sums.
TEST_P(SharedConvolution, IsLibTorchs) {
  use_threads({.threads = 2});
  const Outcome ours = outcome(GetParam(), &shared_convolution);
  const Outcome theirs = outcome(GetParam(), &convolution);
  const Outcome exact = outcome(GetParam(), &convolution, torch::kFloat64);
  for (const auto part : {&Outcome::y, &Outcome::dx, &Outcome::dweight}) {
    EXPECT_LT(apart(ours.*part, exact.*part), 2 * apart(theirs.*part, exact.*part) + 1e-7);
    EXPECT_LT(apart(ours.*part, exact.*part), 1e-5);
  }
  EXPECT_TRUE(ours.y.is_contiguous(torch::MemoryFormat::ChannelsLast));
}

/// Also where LibTorch itself has several threads.
TEST_P(SharedConvolution, GivesTheSameBitsForAnyNumberOfThreads) {
  use_threads({.threads = 1});
  const Outcome one = outcome(GetParam(), &shared_convolution);
  for (const int threads : {2, 3}) {
    for (const int of_libtorch : {1, threads}) {
      use_threads({.threads = threads});
      at::set_num_threads(of_libtorch);
      const Outcome many = outcome(GetParam(), &shared_convolution);
      EXPECT_TRUE(many.y.equal(one.y)) << threads;
      EXPECT_TRUE(many.dx.equal(one.dx)) << threads;
      EXPECT_TRUE(many.dweight.equal(one.dweight)) << threads;
      EXPECT_EQ(at::get_num_threads(), of_libtorch);
    }
  }
}

TEST(SharedConvolution, LeavesOutGradientsThatNobodyNeeds) {
  const ConvolutionShape shape{2, 3};
  const Tensor x = torch::ones({2, 2, 4, 4});
  const Tensor weight = torch::ones({3, 2, 3, 3}).requires_grad_();
  shared_convolution(x, weight, shape).sum().backward();
  EXPECT_TRUE(weight.grad().defined());
  const torch::NoGradGuard no_grad;
  EXPECT_FALSE(shared_convolution(x, weight, shape).requires_grad());
}

TEST(SharedConvolution, HasNoSecondDerivative) {
  const Tensor x = torch::ones({2, 2, 4, 4}).requires_grad_();
  const Tensor y = shared_convolution(x, torch::ones({3, 2, 3, 3}), {2, 3});
  EXPECT_THROW(torch::autograd::grad({y.square().sum()}, {x}, {}, true, /*create_graph=*/true),
               Error);
}

}  // namespace
}  // namespace adassl::nn
