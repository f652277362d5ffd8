#include "adassl/nn/convolution.h"

#include <cmath>

#include "adassl/nn/norm_relu_function.h"

namespace adassl::nn {
namespace {

/// With one channel both orders are the same memory, and LibTorch then takes the strides for those
/// of the other one: it would run a far slower convolution and return the wrong order.
Tensor channels_last(const Tensor& x) {
  if (x.size(1) > 1) return x.contiguous(torch::MemoryFormat::ChannelsLast);
  const Tensor whole = x.contiguous();
  return whole.as_strided(whole.sizes(), {whole.stride(0), 1, whole.stride(2), 1});
}

}  // namespace

Tensor convolution(const Tensor& x, const Tensor& weight, const ConvolutionShape& shape) {
  return torch::conv2d(channels_last(x), channels_last(weight), {}, shape.stride, shape.padding);
}

ConvolutionLayer::ConvolutionLayer(const ConvolutionShape& shape) : shape_(shape) {
  weight = register_parameter(
      "weight", torch::zeros({shape.out, shape.in, shape.kernel[0], shape.kernel[1]}));
  norm_ = register_module("norm", std::make_shared<BatchNorm>(shape.out));
}

void ConvolutionLayer::initialise(const random::Stream& stream) {
  const auto fan_in = static_cast<double>(weight[0].numel());
  fill_uniform(weight, 1 / std::sqrt(fan_in), stream.named("weight"));
}

Tensor ConvolutionLayer::forward(const Tensor& x) {
  return norm_relu(convolution(x, weight, shape_), *norm_);
}

}  // namespace adassl::nn
