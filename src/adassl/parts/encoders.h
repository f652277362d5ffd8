#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/core/options.h"

/// The options of the encoders.
namespace adassl::parts {

struct MlpEncoderOptions {
  static constexpr std::string_view kName = "mlp";
  static constexpr std::string_view kSummary = "linear layers with LeakyReLU, for vectors";
  std::vector<int64_t> hidden = {100, 100, 100, 100};
  int64_t out = 0;
  double slope = 0.01;
  void visit(Fields& field) {
    field("hidden", hidden, "widths of the hidden layers", {1, 65536});
    field("out", out,
          "width of the embedding; 0: that of the observation, plus 1 on the hypersphere",
          {0, 65536});
    field("slope", slope, "negative slope of the LeakyReLU", {0, 1});
  }
};

struct VideoCnnOptions {
  static constexpr std::string_view kName = "video_cnn";
  static constexpr std::string_view kSummary = "convolutions over space and time, for short clips";
  std::vector<int64_t> channels = {32, 64, 128, 128, 256};
  std::vector<int64_t> projector = {1024, 1024};
  int64_t out = 128;
  void visit(Fields& field) {
    field("channels", channels, "output channels of the five convolutions", {1, 4096});
    field("projector", projector, "widths of the projector's hidden layers", {1, 65536});
    field("out", out, "width of the embedding", {1, 65536});
  }
};

struct ResNetOptions {
  static constexpr std::string_view kName = "resnet";
  static constexpr std::string_view kSummary = "a residual network, for images";
  int64_t depth = 18;
  int64_t width = 64;
  std::string stem = "auto";
  std::string zero_gain = "auto";
  std::vector<int64_t> projector = {1024};
  int64_t out = 128;
  bool projector_norm = false;
  bool out_bias = true;
  std::vector<double> mean;
  std::vector<double> deviation;
  std::string init_from;
  void visit(Fields& field) {
    field("depth", depth, "number of layers: 18 or 50", {18, 50});
    // From 8 on: with fewer channels LibTorch's convolutions (oneDNN 2.6) write past their memory.
    field("width", width, "channels of the first of four stages; each next one has twice as many",
          {8, 1024});
    field(
        "stem", stem,
        "how the image enters. small: 3 x 3; large: 7 x 7 with stride 2; torchvision: large, then "
        "a max pooling with stride 2; auto: torchvision with init_from, small up to 64 pixels, "
        "else large for depth 18 and torchvision for depth 50",
        {"auto", "small", "large", "torchvision"});
    field("zero_gain", zero_gain,
          "whether the last norm of each block begins with a gain of 0, so that the block is its "
          "shortcut at first; auto: yes for depth 18, no for depth 50",
          {"auto", "yes", "no"});
    field("projector", projector, "hidden layers of the projector, with ReLU", {1, 65536});
    field("out", out, "width of the embedding; 0: no projector, the representation is embedded",
          {0, 65536});
    field("projector_norm", projector_norm, "BatchNorm in the hidden layers of the projector");
    field("out_bias", out_bias, "whether the last layer of the projector has a bias");
    field("mean", mean,
          "subtracted from images in [0, 1] before the first layer: one number, or one for each "
          "channel; empty: that of the file of init_from if it has one, otherwise 0.5",
          {-10, 10});
    field("deviation", deviation,
          "by which images are then divided: one number, or one for each channel; empty: that of "
          "the file of init_from if it has one, otherwise 0.25",
          {1e-6, 1e6});
    field.path("init_from", init_from,
          "a safetensors file with the weights of a torchvision ResNet, or of one that was trained "
          "here, from which training starts; the projector is always new");
  }
};

}  // namespace adassl::parts
