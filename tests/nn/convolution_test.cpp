#include <gtest/gtest.h>

#include "adassl/nn/built_network.h"
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

ComputePtr compute_by(Kernels kernels) {
  return std::make_shared<Compute>(Compute{.kernels = kernels});
}

/// Convolution -> BatchNorm -> ReLU, as a network.
struct OneLayer : torch::nn::Module {
  OneLayer(const Layer& convolution, const Size& input, const ComputePtr& compute)
      : network(*this, {convolution, norm("layer.norm"), relu()}, input, compute) {}
  Tensor forward(const Tensor& x) const { return network.forward(x); }
  Tensor weight() const { return named_parameters()["layer.weight"]; }
  BuiltNetwork network;
};

std::shared_ptr<OneLayer> one_layer(const Layer& convolution, const Size& input,
                                    const ComputePtr& compute = default_compute()) {
  auto out = std::make_shared<OneLayer>(convolution, input, compute);
  initialise(*out, 1);
  return out;
}

struct Outcome {
  Tensor y, dx;
  std::vector<Tensor> gradients, buffers;
};

Outcome outcome(Kernels kernels, const Layer& convolution, const Tensor& pictures_in) {
  const auto layer = one_layer(
      convolution, Size{pictures_in.size(1), {1, pictures_in.size(2), pictures_in.size(3)}},
      compute_by(kernels));
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

TEST(ConvolutionNormRelu, IsTheSameWithKernelsAndWithout) {
  for (const auto& [in, layer] :
       {std::pair{3, convolution("layer", 5, 3, 2)}, std::pair{16, convolution("layer", 32, 1)},
        std::pair{1, convolution("layer", 4, 3)}}) {
    const Tensor x = pictures(6, in, 9, 8);
    const Outcome fused = outcome(Kernels::kFused, layer, x);
    const Outcome plain = outcome(Kernels::kReference, layer, x);
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

TEST(ConvolutionNormRelu, KeepsChannelsLast) {
  for (const int64_t channels : {1, 3}) {
    const auto layer = one_layer(convolution("layer", 5, 3), {channels, {1, 8, 8}});
    EXPECT_TRUE(layer->forward(pictures(2, channels, 8, 8)).is_contiguous(kChannelsLast));
  }
}

TEST(ConvolutionNormRelu, UsesItsRunningStatisticsInEvalMode) {
  for (const Kernels kernels : {Kernels::kFused, Kernels::kReference}) {
    const auto layer = one_layer(convolution("layer", 4, 3), {2, {1, 6, 6}}, compute_by(kernels));
    const Tensor x = pictures(8, 2, 6, 6);
    for (int i = 0; i < 3; ++i) layer->forward(x);
    layer->eval();
    const torch::NoGradGuard no_grad;
    const Tensor whole = layer->forward(x);
    // A picture is mapped the same in any company.
    EXPECT_LT(apart(layer->forward(x.slice(0, 0, 1)), whole.slice(0, 0, 1)), 1e-6);
    const Tensor expected =
        torch::batch_norm(torch::conv2d(x, layer->weight(), {}, 1, 1),
                          layer->named_parameters()["layer.norm.weight"],
                          layer->named_parameters()["layer.norm.bias"],
                          layer->named_buffers()["layer.norm.running_mean"],
                          layer->named_buffers()["layer.norm.running_var"], false, 0.1, 1e-5, true)
            .relu();
    EXPECT_LT(apart(whole, expected), 1e-6);
  }
}

TEST(ConvolutionNormRelu, HasAGradientInEvalMode) {
  const auto layer = one_layer(convolution("layer", 4, 3), {2, {1, 6, 6}});
  layer->eval();
  layer->forward(pictures(2, 2, 6, 6)).sum().backward();
  EXPECT_GT(layer->weight().grad().abs().sum().item<double>(), 0);
}

}  // namespace
}  // namespace adassl::nn
