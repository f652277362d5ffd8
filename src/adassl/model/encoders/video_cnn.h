#pragma once

#include "adassl/model/encoder.h"
#include "adassl/nn/built_network.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/encoders.h"

namespace adassl::model {

/// Five convolutions, each with BatchNorm and ReLU: two over space, two over time, one over space;
/// those over space halve the picture. Then the mean over space, of all frames.
nn::Network video_cnn(const std::vector<int64_t>& channels);

/// Clips [B, C, T, H, W] -> video_cnn -> representation [B, 256 T] -> a projector with BatchNorm on
/// its output, [B, out].
class VideoCnn final : public Encoder {
 public:
  using Options = parts::VideoCnnOptions;

  VideoCnn(const Options& options, const EncoderContext& context);
  Tensor represent(const Tensor& x) override;
  Tensor project(const Tensor& representation) override;
  int64_t embedding_width() const override { return projector_->shape().out; }
  nn::Footprint footprint() const override;

 private:
  nn::BuiltNetwork network_;
  std::shared_ptr<nn::Mlp> projector_;
  std::shared_ptr<nn::BatchNorm> norm_;
};

}  // namespace adassl::model
