#include "adassl/bench/networks.h"

#include <algorithm>

#include <fmt/format.h>

#include "adassl/nn/built_network.h"
#include "adassl/nn/resnet.h"

namespace adassl::bench {
namespace {

/// "3x3/2 64->128 at 32" in a picture, "(1,3,3)/2 1->32 at 64" or "(3,1,1) ..." in a clip.
std::string name_of(const nn::PlacedLayer& at) {
  const nn::Grid &kernel = at.layer.kernel, &grid = at.before.grid;
  const std::string window =
      grid.time > 1 ? fmt::format("({},{},{})", kernel.time, kernel.height, kernel.width)
                    : fmt::format("{}x{}", kernel.height, kernel.width);
  return fmt::format("{}{} {}->{} at {}", window, at.layer.stride.height > 1 ? "/2" : "",
                     at.before.channels, at.layer.out, grid.width);
}

}  // namespace

Network network_of(const std::string& name, const nn::Network& description, const nn::Size& input,
                   int64_t batch) {
  Network out{name, {}};
  for (const nn::PlacedLayer& at : nn::placed_layers(description, input)) {
    if (at.layer.kind != nn::LayerKind::kConvolution) continue;
    const std::string layer = name_of(at);
    const auto known = std::ranges::find(out.layers, layer, &NetworkLayer::name);
    if (known != out.layers.end()) {
      ++known->count;
      continue;
    }
    const nn::Grid& grid = at.before.grid;
    const int64_t in = at.before.channels;
    const bool over_time = at.layer.kernel.time > 1;
    out.layers.push_back({.name = layer,
                          .shape = nn::convolution_shape(at.layer, in),
                          .x = over_time
                                   ? std::vector{batch, in, grid.time, grid.height * grid.width}
                                   : std::vector{batch * grid.time, in, grid.height, grid.width},
                          .first = out.layers.empty()});
  }
  return out;
}

std::vector<Network> networks() {
  const auto resnet = [](int64_t depth, nn::Stem stem, int64_t pixels, int64_t images) {
    return network_of(fmt::format("ResNet-{}, {} px", depth, pixels), nn::resnet({depth, 64, stem}),
                      {3, {1, pixels, pixels}}, images);
  };
  return {video_network(), resnet(18, nn::Stem::kSmall, 64, 32),
          resnet(18, nn::Stem::kLarge, 128, 32), resnet(50, nn::Stem::kTorchvision, 224, 8)};
}

}  // namespace adassl::bench
