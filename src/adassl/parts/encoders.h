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
          "width of the embedding; 0: the observation's, and one more on the hypersphere",
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
    field("channels", channels, "of the five convolutions", {1, 4096});
    field("projector", projector, "hidden layers of the projector", {1, 65536});
    field("out", out, "width of the embedding", {1, 65536});
  }
};

}  // namespace adassl::parts
