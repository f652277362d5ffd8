#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adassl/nn/layers.h"

/// A network is a list of layers that reads like the table in a paper:
///
///     convolution("conv1", 64, 3), norm("bn1"), relu(),
///     residual({convolution("layer1.0.conv1", 64, 3), ...}),
///     mean_pool(), flatten(),
///
/// The list has no parameters and runs nothing. Names, shapes, memory and FLOPs follow from it
/// (here), and so do the parameters and the forward pass (nn/built_network.h).
namespace adassl::nn {

/// How far something extends over time, height and width. A picture is one frame; a vector is one
/// pixel.
struct Grid {
  int64_t time = 1;
  int64_t height = 1;
  int64_t width = 1;

  int64_t pixels() const { return time * height * width; }
  bool operator==(const Grid&) const = default;
};

/// The size of one observation where it enters or leaves a layer.
struct Size {
  int64_t channels = 0;
  Grid grid = {};

  int64_t numbers() const { return channels * grid.pixels(); }
  bool operator==(const Size&) const = default;
};

enum class LayerKind {
  kConvolution,  // [C, T, H, W] -> [out, T', H', W'], over space or over time, without a bias
  kLinear,       // [C] -> [out]
  kNorm,         // batch normalisation of each channel, with gain and shift
  kRelu,         // x, or slope * x where x < 0
  kMaxPool,      // the largest number of each window, over space
  kMeanPool,     // the mean of each frame: [C, T, H, W] -> [C, T, 1, 1]
  kFlatten,      // [C, T, H, W] -> [C T H W]
  kResidual,     // relu(body(x) + shortcut(x)); an empty shortcut is x itself
};

/// One line of the table. The functions below make them.
struct Layer {
  LayerKind kind;
  std::string name = {};  // of its parameters, e.g. "layer1.0.conv1"; empty where it has none
  int64_t out = 0;        // channels
  Grid kernel = {};
  Grid stride = {};
  Grid padding = {0, 0, 0};
  bool bias = false;
  double slope = 0;            // of the ReLU
  Init init = Init::kDefault;  // of the weight; of a norm's gain, kZero or else 1
  std::vector<Layer> body = {};
  std::vector<Layer> shortcut = {};
};

using Network = std::vector<Layer>;

/// Over height and width, with the padding that keeps the size of the picture at stride 1.
Layer convolution(std::string name, int64_t out, int64_t kernel, int64_t stride = 1,
                  Init init = Init::kDefault);
/// Over time, with the padding that keeps the number of frames.
Layer time_convolution(std::string name, int64_t out, int64_t kernel);
Layer linear(std::string name, int64_t out, bool bias, Init init = Init::kDefault);
Layer norm(std::string name, bool zero_gain = false);
Layer relu(double slope = 0);
Layer max_pool(int64_t kernel, int64_t stride);
Layer mean_pool();
Layer flatten();
/// The body ends with a norm, and so does the shortcut unless it is empty.
Layer residual(Network body, Network shortcut = {});

/// The size behind a layer or a network. Error where a layer cannot read what is before it.
Size size_after(const Layer& layer, const Size& before);
Size size_after(const Network& network, const Size& before);

/// A layer other than a residual block, at its place in a network.
struct PlacedLayer {
  Layer layer;
  Size before, after;
};
/// All of them, in the order of the table; a body comes before its shortcut.
std::vector<PlacedLayer> placed_layers(const Network& network, const Size& input);

struct ParameterShape {
  std::string name;  // "layer1.0.conv1.weight"
  std::vector<int64_t> shape;
};
/// What the optimiser trains, in the order of placed_layers.
std::vector<ParameterShape> parameters_of(const Network& network, const Size& input);

/// What a training step needs for each observation, counted in float32 numbers.
struct Footprint {
  /// Kept from the forward pass for the backward pass.
  int64_t kept = 0;
  /// The largest that the backward pass needs beside it at any time: gradients around one layer.
  int64_t working = 0;

  Footprint& operator+=(const Footprint& other);
};
/// `bf16`: convolutions and what lies between them are bfloat16 (nn/bf16_chain.h): activations are
/// not stored, except where a shortcut was added.
Footprint footprint(const Network& network, const Size& input, bool bf16);

/// Floating-point operations of one observation's products, where a multiplication and an addition
/// count two and taps that fall on the padding count nothing. `first` is the share of the first
/// layer: nobody asks for the gradient of its input, so a training step costs 3 total - first.
struct Flops {
  double total = 0;
  double first = 0;

  double step() const { return 3 * total - first; }
};
Flops flops(const Network& network, const Size& input);

}  // namespace adassl::nn
