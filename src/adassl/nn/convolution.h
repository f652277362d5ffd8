#pragma once

#include <array>

#include "adassl/nn/compute.h"
#include "adassl/nn/layers.h"

/// Two-dimensional convolutions without a bias, computed by LibTorch in channels-last memory. For
/// float32 on the CPU, nn/shared_convolution.h divides them among our threads.
///
///   y[n, o, p] = sum_{i, t} weight[o, i, t] x[n, i, stride p + t - padding]
///
/// where i is an input channel, and p and t are positions (vertical, horizontal) in the output and
/// in the kernel.
namespace adassl::nn {

/// Pairs are (vertical, horizontal).
struct ConvolutionShape {
  int64_t in = 0;   // channels
  int64_t out = 0;  // channels
  std::array<int64_t, 2> kernel = {3, 3};
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> padding = {1, 1};
};

/// x [N, in, H, W], weight [out, in, height, width] -> y [N, out, H', W'] in channels-last memory.
Tensor convolution(const Tensor& x, const Tensor& weight, const ConvolutionShape& shape);

/// x [N, C, H, W] in channels-last memory, with strides by which LibTorch recognises it.
Tensor channels_last(const Tensor& x);

/// A module that owns the weight of one convolution.
class Convolution final : public torch::nn::Module, public Initialised {
 public:
  explicit Convolution(const ConvolutionShape& shape, Init init = Init::kDefault);
  Tensor forward(const Tensor& x) { return convolution(x, weight, shape_); }
  /// By our threads where they cover the case.
  Tensor forward(const Tensor& x, const Compute& compute);
  void initialise(const random::Stream& stream) override;

  const ConvolutionShape& shape() const { return shape_; }

  Tensor weight;  // [out, in, height, width]

 private:
  ConvolutionShape shape_;
  Init init_;
};

}  // namespace adassl::nn
