#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adassl/nn/layers.h"

/// The description of a network: a list of layers that reads like the architecture table of a
/// paper.
///
///     convolution("conv1", 64, 3), norm("bn1"), relu(),
///     residual({convolution("layer1.0.conv1", 64, 3), ...}),
///     mean_pool(), flatten(),
///
/// The list holds no parameters and computes nothing. The functions in this file derive the sizes
/// of activations, the names and shapes of parameters, the memory and the FLOPs from it.
/// nn/built_network.h creates the parameters and runs the forward pass.
namespace adassl::nn {

/// An extent over time, height and width: of activations, a kernel, a stride or a padding. An image
/// has one frame. A vector has one frame of one pixel.
struct Grid {
  int64_t time = 1;
  int64_t height = 1;
  int64_t width = 1;

  int64_t pixels() const { return time * height * width; }
  bool operator==(const Grid&) const = default;
};

/// The size of one observation at the input or the output of a layer: [C, T, H, W].
struct Size {
  int64_t channels = 0;
  Grid grid = {};

  int64_t numbers() const { return channels * grid.pixels(); }
  bool operator==(const Size&) const = default;
};

enum class LayerKind {
  kConvolution,  // [C, T, H, W] -> [out, T', H', W'], over space or over time, without a bias
  kLinear,       // [C] -> [out]
  kNorm,         // batch normalisation of each channel, with gain and shift; keeps the size
  kRelu,         // x if x >= 0, otherwise slope * x; keeps the size
  kMaxPool,      // the maximum of each window over space: [C, T, H, W] -> [C, T, H', W']
  kMeanPool,     // the mean over the pixels of each frame: [C, T, H, W] -> [C, T, 1, 1]
  kFlatten,      // [C, T, H, W] -> [C T H W]
  kReshape,      // [C T H W] -> [C, T, H, W], the inverse of kFlatten
  kUpsample,  // repeats pixels over space: [C, T, H, W] -> [C, T, 2 H or 2 H - 1, 2 W or 2 W - 1]
  kResidual,  // relu(body(x) + shortcut(x)); an empty shortcut is the identity
};

/// One layer of the description. The functions below create layers of each kind.
struct Layer {
  LayerKind kind;
  std::string name = {};  // prefix of its parameters, e.g. "layer1.0.conv1"; empty if it has none
  int64_t out = 0;        // output channels of a convolution, a linear layer or a reshape
  Grid kernel = {};
  Grid stride = {};
  Grid padding = {0, 0, 0};
  bool bias = false;  // linear layers only
  double slope = 0;   // negative slope of the ReLU
  Grid grid = {};     // of the output, for a reshape and an upsampling; the latter keeps the time
  // Initialisation of the weight. The gain of a norm starts at 0 if this is kZero, otherwise at 1.
  Init init = Init::kDefault;
  std::vector<Layer> body = {};      // residual blocks only
  std::vector<Layer> shortcut = {};  // residual blocks only
};

using Network = std::vector<Layer>;

/// A convolution over height and width, padded so that stride 1 and an odd kernel keep the size.
Layer convolution(std::string name, int64_t out, int64_t kernel, int64_t stride = 1,
                  Init init = Init::kDefault);
/// A convolution over time, padded so that an odd kernel keeps the number of frames.
Layer time_convolution(std::string name, int64_t out, int64_t kernel);
Layer linear(std::string name, int64_t out, bool bias, Init init = Init::kDefault);
Layer norm(std::string name, bool zero_gain = false);
Layer relu(double slope = 0);
Layer max_pool(int64_t kernel, int64_t stride);
Layer mean_pool();
Layer flatten();
/// A vector as activations, in the order in which flatten() reads them.
Layer reshape(int64_t channels, Grid grid);
/// Nearest neighbours: doubles height and width. Where the wanted size is odd, the last repetition
/// is dropped, so that every size from which a stride of 2 may have come can be restored.
Layer upsample(Grid grid);
/// The body must end with a norm. The shortcut must end with a norm or be empty.
Layer residual(Network body, Network shortcut = {});

/// The output size of a layer or a network for an input of size `before`. Throws an Error if a
/// layer does not accept the size of its input.
Size size_after(const Layer& layer, const Size& before);
Size size_after(const Network& network, const Size& before);

/// A layer other than a residual block, with the sizes of its input and output in a network.
struct PlacedLayer {
  Layer layer;
  Size before, after;
};
/// All layers in the order of the description, with residual blocks expanded. The body of a block
/// comes before its shortcut.
std::vector<PlacedLayer> placed_layers(const Network& network, const Size& input);

struct ParameterShape {
  std::string name;  // "layer1.0.conv1.weight"
  std::vector<int64_t> shape;
};
/// The trainable parameters, in the order of placed_layers.
std::vector<ParameterShape> parameters_of(const Network& network, const Size& input);

/// The memory that a training step needs, in units of one float32.
struct Footprint {
  // For each observation:
  /// Activations that the forward pass keeps for the backward pass.
  int64_t kept = 0;
  /// The peak of the additional memory in the backward pass: the gradients around one layer.
  int64_t working = 0;
  /// What the heap holds besides, because it is divided into pieces. A backward pass begins with
  /// the smallest layers. Between its gradients lie others that stay, and so the larger gradients
  /// of the layers before do not fit where the smaller ones were.
  int64_t holes = 0;
  /// For each forward pass, whatever the number of observations. LibTorch's convolutions keep a
  /// copy of each weight that is not in channels-last order. A bfloat16 chain has the gradients of
  /// all its weights at once, before they are added to those of the parameters.
  int64_t fixed = 0;

  /// The footprint of two parts that run one after the other: `kept` and `fixed` add up, and
  /// `working` and `holes` are the larger of both.
  Footprint& operator+=(const Footprint& other);
};
/// `bf16`: the network runs as a bfloat16 chain (nn/bf16_chain.h). The chain stores the output of
/// each convolution in bfloat16, and recomputes activations from it. It stores activations only at
/// the end of a residual block.
Footprint footprint(const Network& network, const Size& input, bool bf16);

/// The floating-point operations of convolutions and linear layers for one observation. A
/// multiplication with its addition counts as two operations. Kernel taps that fall on the padding
/// are not counted.
struct Flops {
  double total = 0;  // the forward pass
  double first = 0;  // the part of `total` that belongs to the first layer

  /// A training step. The gradients of the inputs and of the weights each cost as much as the
  /// forward pass, but the gradient of the first layer's input is not computed.
  double step() const { return 3 * total - first; }
};
Flops flops(const Network& network, const Size& input);

}  // namespace adassl::nn
