#pragma once

#include <array>

#include "adassl/nn/layers.h"

namespace adassl::nn {

struct ConvolutionShape {
  int64_t in = 0;
  int64_t out = 0;
  std::array<int64_t, 2> kernel = {3, 3};
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> padding = {1, 1};
};

/// x [N, in, H, W], weight [out, in, height, width]; the result's memory is channels-last.
Tensor convolution(const Tensor& x, const Tensor& weight, const ConvolutionShape& shape);

/// Convolution -> BatchNorm -> ReLU over [N, C, H, W] whose memory is channels-last; so is the
/// result's. No bias, since the norm has one. This class is all that encoders know of convolutions.
class ConvolutionLayer final : public torch::nn::Module, public Initialised {
 public:
  explicit ConvolutionLayer(const ConvolutionShape& shape);
  Tensor forward(const Tensor& x);
  void initialise(const random::Stream& stream) override;  // as PyTorch's default

  const ConvolutionShape& shape() const { return shape_; }
  BatchNorm& norm() { return *norm_; }

  Tensor weight;  // [out, in, height, width]

 private:
  ConvolutionShape shape_;
  std::shared_ptr<BatchNorm> norm_;
};

}  // namespace adassl::nn
