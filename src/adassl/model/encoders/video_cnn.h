#pragma once

#include "adassl/model/encoder.h"
#include "adassl/nn/convolution_stack.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/encoders.h"

namespace adassl::model {

/// Clips [B, C, T, H, W] -> five convolutions, each with BatchNorm and ReLU: two over space, two
/// over time, one over space; those over space halve the picture. The mean over space, of all
/// frames, is the representation [B, 256 T]; a projector with BatchNorm on its output follows.
class VideoCnn final : public Encoder {
 public:
  using Options = parts::VideoCnnOptions;

  VideoCnn(const Options& options, const EncoderContext& context);
  Tensor represent(const Tensor& x) override;
  Tensor project(const Tensor& representation) override;
  int64_t embedding_width() const override { return projector_->shape().out; }
  int64_t activations() const override { return activations_; }

 private:
  std::vector<nn::StackedLayer> stack_for(const Tensor& x) const;

  int64_t activations_ = 0;
  std::vector<std::shared_ptr<nn::ConvolutionLayer>> layers_;
  std::shared_ptr<nn::Mlp> projector_;
  std::shared_ptr<nn::BatchNorm> norm_;
};

}  // namespace adassl::model
