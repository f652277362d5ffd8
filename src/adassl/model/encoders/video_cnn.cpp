#include "adassl/model/encoders/video_cnn.h"

#include <array>
#include <string>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/nn/bf16_chain.h"
#include "adassl/nn/fused.h"

namespace adassl::model {
namespace {

enum class Over { kSpace, kTime };
constexpr std::array<Over, 5> kLayers = {Over::kSpace, Over::kSpace, Over::kTime, Over::kTime,
                                         Over::kSpace};

nn::ConvolutionShape shape_of(Over over, int64_t in, int64_t out) {
  if (over == Over::kSpace) return {in, out, {3, 3}, {2, 2}, {1, 1}};
  return {in, out, {3, 1}, {1, 1}, {1, 0}};
}

// Frames as pictures [B T, C, H, W], and as columns of pixels over time [B, C, T, H W], are the
// same memory when channels come last.
Tensor over_time(const Tensor& frames, int64_t clips) {
  const Tensor pixels = frames.permute({0, 2, 3, 1});  // [B T, H, W, C]
  return pixels.view({clips, frames.size(0) / clips, frames.size(2) * frames.size(3), -1})
      .permute({0, 3, 1, 2});
}

Tensor over_space(const Tensor& columns, int64_t height, int64_t width) {
  const Tensor pixels = columns.permute({0, 2, 3, 1});  // [B, T, H W, C]
  return pixels.view({columns.size(0) * columns.size(2), height, width, -1}).permute({0, 3, 1, 2});
}

/// [B T, C] -> [B, C T].
Tensor of_frames(const Tensor& pooled, int64_t clips) {
  return pooled.view({clips, -1, pooled.size(1)}).transpose(1, 2).flatten(1);
}

}  // namespace

VideoCnn::VideoCnn(const Options& options, const EncoderContext& context) {
  const std::vector<int64_t>& observation = context.observation;  // [C, T, H, W]
  ADASSL_CHECK(observation.size() == 4,
               "[encoder] video_cnn: expected clips [channels, frames, height, width], got "
               "observations of ",
               observation.size(), " dimensions");
  ADASSL_CHECK(options.channels.size() == kLayers.size(), "[encoder] video_cnn: expected channels ",
               "for ", kLayers.size(), " convolutions, got ", options.channels.size());
  int64_t channels = observation[0];
  const int64_t frames = observation[1];
  int64_t height = observation[2];
  int64_t width = observation[3];
  for (size_t i = 0; i < kLayers.size(); ++i) {
    const int64_t out = options.channels[i];
    layers_.push_back(register_module(
        "layer" + std::to_string(i),
        std::make_shared<nn::ConvolutionLayer>(shape_of(kLayers[i], channels, out))));
    channels = out;
    if (kLayers[i] == Over::kSpace) {
      height = (height + 1) / 2;
      width = (width + 1) / 2;
    }
    // In float32 before and after the norm; in bfloat16 before it, in half the bytes.
    const int64_t outputs = frames * height * width * channels;
    activations_ += nn::multiplies_in_bf16() ? (outputs + 1) / 2 : 2 * outputs;
  }
  projector_ = register_module("projector", std::make_shared<nn::Mlp>(nn::MlpShape{
                                                .in = channels * frames,
                                                .hidden = options.projector,
                                                .out = options.out,
                                                .norm = true,
                                                .out_bias = false,
                                            }));
  norm_ = register_module("norm", std::make_shared<nn::BatchNorm>(options.out));
  for (const int64_t hidden : options.projector) activations_ += 2 * hidden;
  if (nn::fused() && !nn::multiplies_in_bf16()) nn::note_fallback("convolutions are LibTorch's");
}

std::vector<nn::StackedLayer> VideoCnn::stack_for(const Tensor& x) const {
  const int64_t clips = x.size(0);
  const int64_t frames = x.size(2);
  int64_t height = x.size(3);
  int64_t width = x.size(4);
  std::vector<nn::StackedLayer> out;
  for (size_t i = 0; i < kLayers.size(); ++i) {
    if (kLayers[i] == Over::kTime) {
      out.push_back({layers_[i], clips, frames, height * width});
    } else {
      out.push_back({layers_[i], clips * frames, height, width});
      height = (height + 1) / 2;
      width = (width + 1) / 2;
    }
  }
  return out;
}

Tensor VideoCnn::represent(const Tensor& x) {
  const int64_t clips = x.size(0);
  // [B, C, T, H, W] -> frames as pictures. With one channel nothing moves.
  Tensor y = x.transpose(1, 2).flatten(0, 1);
  if (const auto stack = stack_for(x); nn::stack_covers(y, stack)) {
    return of_frames(nn::pooled_stack(y, stack), clips);
  }
  Over now = Over::kSpace;
  int64_t height = 0;
  int64_t width = 0;
  for (size_t i = 0; i < kLayers.size(); ++i) {
    if (now == Over::kSpace && kLayers[i] == Over::kTime) {
      height = y.size(2);
      width = y.size(3);
      y = over_time(y, clips);
    }
    if (now == Over::kTime && kLayers[i] == Over::kSpace) y = over_space(y, height, width);
    now = kLayers[i];
    y = layers_[i]->forward(y);
  }
  return of_frames(y.mean({2, 3}), clips);
}

Tensor VideoCnn::project(const Tensor& representation) {
  return norm_->forward(projector_->forward(representation));
}

}  // namespace adassl::model
