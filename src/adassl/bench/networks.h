#pragma once

#include <string>
#include <vector>

#include "adassl/nn/convolution.h"
#include "adassl/nn/network.h"

/// The convolutions of networks, for comparisons of speed.
namespace adassl::bench {

struct NetworkLayer {
  std::string name;
  nn::ConvolutionShape shape;
  std::vector<int64_t> x;  // [images, channels, height, width]
  int count = 1;           // layers of this shape
  bool first = false;      // the gradient of an image is not needed
};

struct Network {
  std::string name;
  std::vector<NetworkLayer> layers;
};

/// The convolutions of a described network, with those of one shape counted together.
Network network_of(const std::string& name, const nn::Network& description, const nn::Size& input,
                   int64_t batch);

/// The video encoder as it is trained, at 128 clips of 3 frames (bench_video.cpp).
Network video_network();

/// That one; ResNet-18 for pictures of 64 and of 128 pixels, and ResNet-50 for 224, as the paper
/// has them, at batches that fit into a few seconds.
std::vector<Network> networks();

}  // namespace adassl::bench
