#include "adassl/model/encoders/resnet.h"

#include <algorithm>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/model/initial_weights.h"
#include "adassl/nn/resnet.h"
#include "adassl/nn/tensors.h"

/// Images x [B, C, H, W], bytes divided by 255:
///   (x - mean_c) / deviation_c -> residual network (nn/resnet.h) -> representation [B, D], with
///   D = 8 width, or 32 width for depth 50 -> perceptron -> embedding [B, out]
/// The decoder is the mirror image of the network: [B, z] -> [B, C, H, W].
namespace adassl::model {
namespace {

// Pixels, up to which `auto` means the small stem. The paper's code has it for 64 pixels, and the
// large one for all other sizes; below 64 the small one is our choice.
constexpr int64_t kSmallImage = 64;
constexpr double kMean = 0.5;  // of each channel, where nobody says another
constexpr double kDeviation = 0.25;
// As torchvision normalises images for the weights that it offers.
constexpr const char* kOfTorchvision =
    "encoder.mean=[0.485,0.456,0.406] encoder.deviation=[0.229,0.224,0.225]";

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

constexpr const char* kStemFact = "stem";

std::string name_of(nn::Stem stem) {
  if (stem == nn::Stem::kSmall) return "small";
  return stem == nn::Stem::kLarge ? "large" : "torchvision";
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

/// One number for each channel [C]; `otherwise` if `values` is empty.
Tensor for_channels(const char* name, const std::vector<double>& values, double otherwise,
                    int64_t channels) {
  if (values.empty()) return torch::full({channels}, otherwise, torch::kFloat32);
  const auto count = static_cast<int64_t>(values.size());
  ADASSL_CHECK(count == 1 || count == channels, "[encoder] ", name,
               ": expected one number, or one for each of ", channels, " channels, got ", count);
  return torch::tensor(values, torch::kFloat32).expand({channels}).clone();
}

}  // namespace

ResNet::ResNet(const Options& options, const EncoderContext& context)
    : options_(options),
      compute_(context.compute),
      stem_(stem_of(options, image_size(context.observation))),
      network_(*this, nn::resnet(shape_of(options, image_size(context.observation))),
               image_size(context.observation), context.compute) {
  const int64_t channels = context.observation[0];
  mean_ = register_buffer("mean", for_channels("mean", options.mean, kMean, channels));
  deviation_ = register_buffer("deviation",
                               for_channels("deviation", options.deviation, kDeviation, channels));
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

std::map<std::string, std::string> ResNet::facts() const { return {{kStemFact, name_of(stem_)}}; }

std::vector<std::string> ResNet::start_from_files() {
  if (options_.init_from.empty()) return {};
  const auto file = storage::Safetensors::read(options_.init_from);
  const auto stem = file.metadata().find(kStemFact);
  ADASSL_CHECK(stem == file.metadata().end() || stem->second == name_of(stem_),
               "[encoder.stem] expected the stem of ", options_.init_from, ", ", stem->second,
               ", got ", name_of(stem_), "; set encoder.stem=", stem->second);
  std::vector<std::string> lines =
      start_from(*this, file, options_.init_from, {"projector.", "mean", "deviation"}, {"fc."});
  for (std::string& line : take_normalisation(file)) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> ResNet::take_normalisation(const storage::Safetensors& file) {
  const std::string& where = options_.init_from;
  std::vector<std::string> taken, overruled, unknown;
  const auto take = [&](const std::string& name, const std::vector<double>& given, Tensor& buffer) {
    if (!given.empty()) {
      if (file.has(name)) overruled.push_back("encoder." + name);
    } else if (file.has(name)) {
      const torch::NoGradGuard no_grad;
      buffer.copy_(initial_tensor(file, where, name, buffer));
      taken.push_back(name);
    } else {
      unknown.push_back(join(name, " ", buffer[0].item<float>()));
    }
  };
  take("mean", options_.mean, mean_);
  take("deviation", options_.deviation, deviation_);
  const float smallest = deviation_.min().item<float>();
  ADASSL_CHECK(smallest > 0, "[", where, "] deviation: expected numbers above 0, got ", smallest);
  std::vector<std::string> lines;
  if (!taken.empty()) {
    lines.push_back(
        fmt::format("images are normalised with {} from {}", fmt::join(taken, " and "), where));
  }
  if (!overruled.empty()) {
    lines.push_back(fmt::format("images are normalised with {}, not with the numbers in {}",
                                fmt::join(overruled, " and "), where));
  }
  if (!unknown.empty()) {
    lines.push_back(fmt::format(
        "warning: neither the configuration nor {} says how images were normalised for these "
        "weights; {} by default. Weights from torchvision need {}",
        where, fmt::join(unknown, " and "), kOfTorchvision));
  }
  return lines;
}

}  // namespace adassl::model
