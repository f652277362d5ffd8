#include "adassl/model/encoders/video_cnn.h"

#include "adassl/core/error.h"
#include "adassl/nn/tensors.h"

/// Clips x [B, C, T, H, W], bytes divided by 255, with c = channels:
///
///   layer0  3 x 3 over space, stride 2   [B, c0, T, H / 2, W / 2]     H / 2 rounded up, and so on
///   layer1  3 x 3 over space, stride 2   [B, c1, T, H / 4, W / 4]
///   layer2  3 over time                  [B, c2, T, H / 4, W / 4]
///   layer3  3 over time                  [B, c3, T, H / 4, W / 4]
///   layer4  3 x 3 over space, stride 2   [B, c4, T, H / 8, W / 8]
///   mean over the pixels of each frame   [B, c4 T], the representation
///   projector and BatchNorm              [B, out], the embedding
///
/// Each layer is y = max(0, norm(convolution(x))).
namespace adassl::model {
namespace {

constexpr size_t kConvolutions = 5;

nn::Size clip_size(const std::vector<int64_t>& clip) {  // [C, T, H, W]
  ADASSL_CHECK(clip.size() == 4,
               "[encoder] video_cnn: expected clips [channels, frames, height, width], got "
               "observations of ",
               clip.size(), " dimensions");
  return {clip[0], {clip[1], clip[2], clip[3]}};
}

nn::Network network_of(const std::vector<int64_t>& channels) {
  ADASSL_CHECK(channels.size() == kConvolutions, "[encoder] video_cnn: expected channels for ",
               kConvolutions, " convolutions, got ", channels.size());
  return video_cnn(channels);
}

}  // namespace

nn::Network video_cnn(const std::vector<int64_t>& channels) {
  using namespace nn;
  return {
      convolution("layer0", channels[0], 3, 2),
      norm("layer0.norm"),
      relu(),
      convolution("layer1", channels[1], 3, 2),
      norm("layer1.norm"),
      relu(),
      time_convolution("layer2", channels[2], 3),
      norm("layer2.norm"),
      relu(),
      time_convolution("layer3", channels[3], 3),
      norm("layer3.norm"),
      relu(),
      convolution("layer4", channels[4], 3, 2),
      norm("layer4.norm"),
      relu(),
      mean_pool(),
      flatten(),
  };
}

VideoCnn::VideoCnn(const Options& options, const EncoderContext& context)
    : network_(*this, network_of(options.channels), clip_size(context.observation),
               context.compute) {
  projector_ = register_module("projector", std::make_shared<nn::Mlp>(
                                                nn::MlpShape{
                                                    .in = network_.output().channels,
                                                    .hidden = options.projector,
                                                    .out = options.out,
                                                    .norm = true,
                                                    .out_bias = false,
                                                },
                                                context.compute));
  norm_ = register_module("norm", std::make_shared<nn::BatchNorm>(options.out));
}

Tensor VideoCnn::represent(const Tensor& x) { return network_.forward(nn::unit_pixels(x)); }

Tensor VideoCnn::project(const Tensor& representation) {
  return norm_->forward(projector_->forward(representation));
}

nn::Footprint VideoCnn::footprint() const {
  nn::Footprint out = network_.footprint();
  out += projector_->footprint();
  return out;
}

}  // namespace adassl::model
