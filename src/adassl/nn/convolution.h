#pragma once

#include <array>

#include "adassl/nn/layers.h"

/// Convolutions by LibTorch, whose memory is channels-last.
namespace adassl::nn {

struct ConvolutionShape {
  int64_t in = 0;
  int64_t out = 0;
  std::array<int64_t, 2> kernel = {3, 3};
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> padding = {1, 1};
};

///   y[n, o, p] = sum over i and taps t of weight[o, i, t] x[n, i, stride p + t - padding]
/// x [N, in, H, W], weight [out, in, height, width], y [N, out, H', W'] with channels last.
Tensor convolution(const Tensor& x, const Tensor& weight, const ConvolutionShape& shape);

/// The weight of a convolution without a bias.
class Convolution final : public torch::nn::Module, public Initialised {
 public:
  explicit Convolution(const ConvolutionShape& shape, Init init = Init::kDefault);
  Tensor forward(const Tensor& x) { return convolution(x, weight, shape_); }
  void initialise(const random::Stream& stream) override;

  const ConvolutionShape& shape() const { return shape_; }

  Tensor weight;  // [out, in, height, width]

 private:
  ConvolutionShape shape_;
  Init init_;
};

}  // namespace adassl::nn
