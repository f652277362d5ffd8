#include "adassl/bench/networks.h"

#include <fmt/format.h>

namespace adassl::bench {
namespace {

using nn::ConvolutionShape;

/// Adds convolutions one behind the other, and keeps track of the picture.
class Builder {
 public:
  Builder(std::string name, int64_t images, int64_t channels, int64_t side)
      : images_(images), channels_(channels), side_(side) {
    network_.name = std::move(name);
  }

  /// With the padding that keeps the picture's size but for the stride.
  Builder& add(int64_t out, int64_t kernel, int64_t stride = 1) {
    note(channels_, out, kernel, stride, side_);
    channels_ = out;
    side_ = (side_ + stride - 1) / stride;
    return *this;
  }
  /// Beside the last ones: from what stood before them.
  Builder& shortcut(int64_t in, int64_t side, int64_t stride) {
    note(in, channels_, 1, stride, side);
    return *this;
  }
  Builder& pool() {
    side_ /= 2;
    return *this;
  }
  int64_t channels() const { return channels_; }
  int64_t side() const { return side_; }
  Network network() const { return network_; }

 private:
  void note(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t side) {
    const std::string name =
        fmt::format("{}x{}{} {}->{} at {}", kernel, kernel, stride > 1 ? "/2" : "", in, out, side);
    for (NetworkLayer& layer : network_.layers) {
      if (layer.name != name) continue;
      ++layer.count;
      return;
    }
    const int64_t padding = kernel / 2;
    network_.layers.push_back({name,
                               {in, out, {kernel, kernel}, {stride, stride}, {padding, padding}},
                               {images_, in, side, side},
                               1,
                               network_.layers.empty()});
  }

  Network network_;
  int64_t images_, channels_, side_;
};

Network resnet18(int64_t pixels) {
  constexpr int64_t kImages = 32;
  Builder builder(fmt::format("ResNet-18, {} px", pixels), kImages, 3, pixels);
  if (pixels == 64) {
    builder.add(64, 3);
  } else {
    builder.add(64, 7, 2);
  }
  for (const int64_t width : {64, 128, 256, 512}) {
    for (int block = 0; block < 2; ++block) {
      const int64_t in = builder.channels();
      const int64_t side = builder.side();
      const int64_t stride = in == width ? 1 : 2;
      builder.add(width, 3, stride).add(width, 3);
      if (stride > 1) builder.shortcut(in, side, stride);
    }
  }
  return builder.network();
}

Network resnet50() {
  constexpr int64_t kImages = 8;
  Builder builder("ResNet-50, 224 px", kImages, 3, 224);
  builder.add(64, 7, 2).pool();
  const int blocks[] = {3, 4, 6, 3};
  int64_t width = 64;
  for (int stage = 0; stage < 4; ++stage, width *= 2) {
    for (int block = 0; block < blocks[stage]; ++block) {
      const int64_t in = builder.channels();
      const int64_t side = builder.side();
      const int64_t stride = block == 0 && stage > 0 ? 2 : 1;
      builder.add(width, 1).add(width, 3, stride).add(4 * width, 1);
      if (block == 0) builder.shortcut(in, side, stride);
    }
  }
  return builder.network();
}

}  // namespace

std::vector<Network> networks() {
  return {video_network(), resnet18(64), resnet18(128), resnet50()};
}

}  // namespace adassl::bench
