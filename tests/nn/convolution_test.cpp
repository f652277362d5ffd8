#include "adassl/nn/convolution.h"

#include <gtest/gtest.h>

#include "adassl/nn/fused.h"
#include "adassl/nn/tensors.h"
#include "nn/rounding.h"

namespace adassl::nn {
namespace {

constexpr auto kChannelsLast = torch::MemoryFormat::ChannelsLast;

Tensor pictures(int64_t count, int64_t channels, int64_t height, int64_t width) {
  return normal(count, channels * height * width, {1, "pictures"}, torch::empty({0}))
      .view({count, channels, height, width})
      .contiguous(kChannelsLast);
}

struct Outcome {
  Tensor y, dx;
  std::vector<Tensor> gradients, buffers;
};

Outcome outcome(Kernels kernels, const ConvolutionShape& shape, const Tensor& pictures_in) {
  const WithKernels with(kernels);
  auto layer = std::make_shared<ConvolutionLayer>(shape);
  initialise(*layer, 1);
  const Tensor x = pictures_in.detach().clone(kChannelsLast).requires_grad_();
  Outcome out;
  out.y = layer->forward(x);
  // A weight for each number, so that no gradient vanishes by symmetry.
  const Tensor weights =
      torch::arange(out.y.numel()).remainder(7).to(torch::kFloat32).view_as(out.y);
  (out.y * weights).sum().backward();
  out.dx = x.grad();
  for (const auto& p : layer->parameters()) out.gradients.push_back(p.grad());
  out.buffers = layer->buffers();
  return out;
}

TEST(ConvolutionLayer, IsTheSameWithKernelsAndWithout) {
  for (const ConvolutionShape& shape : {ConvolutionShape{3, 5, {3, 3}, {2, 2}, {1, 1}},
                                        ConvolutionShape{16, 32, {3, 1}, {1, 1}, {1, 0}},
                                        ConvolutionShape{1, 4, {3, 3}, {1, 1}, {1, 1}}}) {
    const Tensor x = pictures(6, shape.in, 9, 8);
    const Outcome fused = outcome(Kernels::kFused, shape, x);
    const Outcome plain = outcome(Kernels::kReference, shape, x);
    EXPECT_LT(apart(fused.y, plain.y), 1e-6);
    EXPECT_LT(apart(fused.dx, plain.dx), 1e-5);
    for (size_t i = 0; i < plain.gradients.size(); ++i) {
      EXPECT_LT(apart(fused.gradients[i], plain.gradients[i]), 1e-5) << i;
    }
    for (size_t i = 0; i < plain.buffers.size(); ++i) {
      EXPECT_LT(apart(fused.buffers[i], plain.buffers[i]), 1e-6) << i;
    }
  }
}

TEST(ConvolutionLayer, KeepsChannelsLast) {
  for (const int64_t channels : {1, 3}) {
    auto layer = std::make_shared<ConvolutionLayer>(ConvolutionShape{channels, 5});
    initialise(*layer, 1);
    EXPECT_TRUE(layer->forward(pictures(2, channels, 8, 8)).is_contiguous(kChannelsLast));
  }
}

TEST(ConvolutionLayer, UsesItsRunningStatisticsInEvalMode) {
  for (const Kernels kernels : {Kernels::kFused, Kernels::kReference}) {
    const WithKernels with(kernels);
    auto layer = std::make_shared<ConvolutionLayer>(ConvolutionShape{2, 4});
    initialise(*layer, 1);
    const Tensor x = pictures(8, 2, 6, 6);
    for (int i = 0; i < 3; ++i) layer->forward(x);
    layer->eval();
    const torch::NoGradGuard no_grad;
    const Tensor whole = layer->forward(x);
    // A picture is mapped the same in any company.
    EXPECT_LT(apart(layer->forward(x.slice(0, 0, 1)), whole.slice(0, 0, 1)), 1e-6);
    const Tensor expected =
        torch::batch_norm(
            torch::conv2d(x, layer->weight, {}, 1, 1), layer->named_parameters()["norm.weight"],
            layer->named_parameters()["norm.bias"], layer->named_buffers()["norm.running_mean"],
            layer->named_buffers()["norm.running_var"], false, 0.1, 1e-5, true)
            .relu();
    EXPECT_LT(apart(whole, expected), 1e-6);
  }
}

TEST(ConvolutionLayer, HasAGradientInEvalMode) {
  auto layer = std::make_shared<ConvolutionLayer>(ConvolutionShape{2, 4});
  initialise(*layer, 1);
  layer->eval();
  layer->forward(pictures(2, 2, 6, 6)).sum().backward();
  EXPECT_GT(layer->weight.grad().abs().sum().item<double>(), 0);
}

}  // namespace
}  // namespace adassl::nn
