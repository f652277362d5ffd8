#include "adassl/model/encoders/resnet.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/model/initial_weights.h"
#include "adassl/nn/resnet.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

constexpr int64_t kSmallImage = 64;  // pixels; the paper's code has the small stem for these

nn::Size image_size(const std::vector<int64_t>& observation) {
  ADASSL_CHECK(observation.size() == 3,
               "[encoder] resnet: expected images [channels, height, width], got observations of ",
               observation.size(), " dimensions");
  return {observation[0], {1, observation[1], observation[2]}};
}

nn::Stem stem_of(const parts::ResNetOptions& options, const nn::Size& image) {
  if (options.stem == "small") return nn::Stem::kSmall;
  if (options.stem == "large") return nn::Stem::kLarge;
  if (options.stem == "torchvision" || !options.init_from.empty()) return nn::Stem::kTorchvision;
  if (std::max(image.grid.height, image.grid.width) <= kSmallImage) return nn::Stem::kSmall;
  return options.depth == 50 ? nn::Stem::kTorchvision : nn::Stem::kLarge;
}

nn::ResNetShape shape_of(const parts::ResNetOptions& options, const nn::Size& image) {
  ADASSL_CHECK(options.depth == 18 || options.depth == 50,
               "[encoder] depth: expected 18 or 50, got ", options.depth);
  const bool zero_gain =
      options.zero_gain == "auto" ? options.depth == 18 : options.zero_gain == "yes";
  return {options.depth, options.width, stem_of(options, image), zero_gain};
}

class MirroredResNet final : public Decoder {
 public:
  MirroredResNet(const nn::ResNetShape& shape, const nn::Size& image, int64_t in,
                 const nn::ComputePtr& compute)
      : network_(*this, nn::mirrored_resnet(shape, image), {in}, compute) {}
  Tensor decode(const Tensor& z) override { return network_.forward(z); }
  nn::Footprint footprint() const override { return network_.footprint(); }

 private:
  nn::BuiltNetwork network_;
};

Tensor for_channels(const char* name, const std::vector<double>& values, int64_t channels) {
  const auto count = static_cast<int64_t>(values.size());
  ADASSL_CHECK(count == 1 || count == channels, "[encoder] ", name,
               ": expected one number, or one for each of ", channels, " channels, got ", count);
  return torch::tensor(values, torch::kFloat32).expand({channels}).clone();
}

}  // namespace

ResNet::ResNet(const Options& options, const EncoderContext& context)
    : options_(options),
      compute_(context.compute),
      network_(*this, nn::resnet(shape_of(options, image_size(context.observation))),
               image_size(context.observation), context.compute) {
  const int64_t channels = context.observation[0];
  mean_ = register_buffer("mean", for_channels("mean", options.mean, channels));
  deviation_ = register_buffer("deviation", for_channels("deviation", options.deviation, channels));
  if (options.out == 0) return;
  projector_ = register_module("projector", std::make_shared<nn::Mlp>(
                                                nn::MlpShape{
                                                    .in = network_.output().channels,
                                                    .hidden = options.projector,
                                                    .out = options.out,
                                                    .norm = options.projector_norm,
                                                    .out_bias = options.out_bias,
                                                },
                                                context.compute));
}

Tensor ResNet::represent(const Tensor& x) {
  const Tensor pixels = nn::unit_pixels(x).contiguous(torch::MemoryFormat::ChannelsLast);
  const auto each = [](const Tensor& of) { return of.view({1, -1, 1, 1}); };
  return network_.forward((pixels - each(mean_)) / each(deviation_));
}

Tensor ResNet::project(const Tensor& representation) {
  return projector_ ? projector_->forward(representation) : representation;
}

int64_t ResNet::embedding_width() const {
  return projector_ ? options_.out : network_.output().channels;
}

std::shared_ptr<Decoder> ResNet::mirror(int64_t in) const {
  ADASSL_CHECK(options_.depth == 18,
               "[encoder] depth: expected 18, whose network a decoder can mirror, got ",
               options_.depth);
  const nn::Size& image = network_.input();
  return std::make_shared<MirroredResNet>(shape_of(options_, image), image, in, compute_);
}

nn::Footprint ResNet::footprint() const {
  nn::Footprint out = network_.footprint();
  out.kept += network_.input().numbers();  // the normalised image
  if (projector_) out += projector_->footprint();
  return out;
}

std::vector<std::string> ResNet::start_from_files() {
  if (options_.init_from.empty()) return {};
  return start_from(*this, options_.init_from, {"projector.", "mean", "deviation"}, {"fc."});
}

}  // namespace adassl::model
