#include "adassl/nn/convolution.h"

#include "adassl/nn/shared_convolution.h"

/// y[n, o, p] = sum over i, t of weight[o, i, t] x[n, i, stride p + t - padding], by LibTorch.
/// x is [N, in, H, W], weight [out, in, height, width] and y [N, out, H', W'], all with channels
/// last in memory.
namespace adassl::nn {

/// x [N, C, H, W] in channels-last memory. If C = 1, both memory formats have the same layout, and
/// LibTorch interprets the default strides as channels-first. It would then run a much slower
/// convolution and return a channels-first result. This function sets the strides explicitly.
Tensor channels_last(const Tensor& x) {
  if (x.size(1) > 1) return x.contiguous(torch::MemoryFormat::ChannelsLast);
  const Tensor whole = x.contiguous();
  return whole.as_strided(whole.sizes(), {whole.stride(0), 1, whole.stride(2), 1});
}

Tensor convolution(const Tensor& x, const Tensor& weight, const ConvolutionShape& shape) {
  return torch::conv2d(channels_last(x), channels_last(weight), {}, shape.stride, shape.padding);
}

Convolution::Convolution(const ConvolutionShape& shape, Init init) : shape_(shape), init_(init) {
  weight = register_parameter(
      "weight",
      torch::zeros({shape.out, shape.in, shape.kernel[0], shape.kernel[1]}, torch::kFloat32));
}

Tensor Convolution::forward(const Tensor& x, const Compute& compute) {
  if (!compute.fuses(x) || !compute.fuses(weight) || x.numel() == 0) return forward(x);
  return shared_convolution(x, weight, shape_);
}

void Convolution::initialise(const random::Stream& stream) {
  Tensor no_bias;
  draw(weight, no_bias, init_, stream);
}

}  // namespace adassl::nn
