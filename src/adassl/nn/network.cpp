#include "adassl/nn/network.h"

#include <algorithm>
#include <utility>

#include "adassl/core/error.h"

/// What follows from a description, layer by layer, for an observation of size [C, T, H, W]. Along
/// an axis of n pixels, with kernel k, stride s and padding p, a convolution or a pooling has
///
///   windows = (n + 2 p - k) / s + 1, rounded down
///   taps    = the sum over windows of the taps that do not fall on the padding
///
/// size_after     [out, T', H', W'], with the windows along each axis
/// parameters_of  weight [out, C, kernel] of a convolution, [out, C] of a linear layer; gain and
///                shift [C] of a norm
/// footprint      the numbers that each layer keeps for the backward pass, the largest gradients
///                around a layer, and what weights need besides
/// flops          2 C out taps_T taps_H taps_W of a convolution, 2 C out of a linear layer
namespace adassl::nn {

// ---- constructors of layers

Layer convolution(std::string name, int64_t out, int64_t kernel, int64_t stride, Init init) {
  return {.kind = LayerKind::kConvolution,
          .name = std::move(name),
          .out = out,
          .kernel = {1, kernel, kernel},
          .stride = {1, stride, stride},
          .padding = {0, kernel / 2, kernel / 2},
          .init = init};
}

Layer time_convolution(std::string name, int64_t out, int64_t kernel) {
  return {.kind = LayerKind::kConvolution,
          .name = std::move(name),
          .out = out,
          .kernel = {kernel, 1, 1},
          .padding = {kernel / 2, 0, 0}};
}

Layer linear(std::string name, int64_t out, bool bias, Init init) {
  return {
      .kind = LayerKind::kLinear, .name = std::move(name), .out = out, .bias = bias, .init = init};
}

Layer norm(std::string name, bool zero_gain) {
  return {.kind = LayerKind::kNorm,
          .name = std::move(name),
          .init = zero_gain ? Init::kZero : Init::kDefault};
}

Layer relu(double slope) { return {.kind = LayerKind::kRelu, .slope = slope}; }

Layer max_pool(int64_t kernel, int64_t stride) {
  return {.kind = LayerKind::kMaxPool,
          .kernel = {1, kernel, kernel},
          .stride = {1, stride, stride},
          .padding = {0, kernel / 2, kernel / 2}};
}

Layer mean_pool() { return {.kind = LayerKind::kMeanPool}; }

Layer flatten() { return {.kind = LayerKind::kFlatten}; }

Layer reshape(int64_t channels, Grid grid) {
  return {.kind = LayerKind::kReshape, .out = channels, .grid = grid};
}

Layer upsample(Grid grid) { return {.kind = LayerKind::kUpsample, .grid = grid}; }

Layer residual(Network body, Network shortcut) {
  const auto ends_with_norm = [](const Network& part) {
    return !part.empty() && part.back().kind == LayerKind::kNorm;
  };
  ADASSL_CHECK(ends_with_norm(body) && (shortcut.empty() || ends_with_norm(shortcut)),
               "[network] expected a residual block whose body and shortcut end with a norm");
  return {.kind = LayerKind::kResidual, .body = std::move(body), .shortcut = std::move(shortcut)};
}

// ---- sizes, parameters, memory and FLOPs

namespace {

/// The number of window positions along one axis.
int64_t windows(int64_t size, int64_t kernel, int64_t stride, int64_t padding) {
  return (size + 2 * padding - kernel) / stride + 1;
}

/// The number of window positions along all axes. Throws an Error if the kernel is too large.
Grid windows(const Layer& layer, const Grid& size) {
  const Grid &k = layer.kernel, &s = layer.stride, &p = layer.padding;
  const bool fits = size.time + 2 * p.time >= k.time && size.height + 2 * p.height >= k.height &&
                    size.width + 2 * p.width >= k.width;
  const std::string name = layer.kind == LayerKind::kMaxPool ? "max pooling" : layer.name;
  ADASSL_CHECK(fits, "[network] ", name, ": expected an observation of at least ", k.time, " x ",
               k.height, " x ", k.width, " with its padding, got ", size.time, " x ", size.height,
               " x ", size.width);
  return {windows(size.time, k.time, s.time, p.time),
          windows(size.height, k.height, s.height, p.height),
          windows(size.width, k.width, s.width, p.width)};
}

/// Whether a stride of 2 leads from `to` to `from`.
bool doubles(int64_t from, int64_t to) { return to > 0 && (to + 1) / 2 == from; }

bool is(const Network& network, size_t i, LayerKind kind) {
  return i < network.size() && network[i].kind == kind;
}

/// Appends the layers of `network`, with residual blocks expanded, to `out`.
void place(const Network& network, Size size, std::vector<PlacedLayer>& out) {
  for (const Layer& layer : network) {
    const Size after = size_after(layer, size);
    if (layer.kind == LayerKind::kResidual) {
      place(layer.body, size, out);
      place(layer.shortcut, size, out);
    } else {
      out.push_back({layer, size, after});
    }
    size = after;
  }
}

/// The number of pairs (output position, kernel tap) along one axis where the tap reads an element
/// of the input and not the padding.
double taps(int64_t size, int64_t kernel, int64_t stride, int64_t padding) {
  int64_t count = 0;
  for (int64_t first = -padding; first + kernel <= size + padding; first += stride) {
    count += std::min(size, first + kernel) - std::max<int64_t>(0, first);
  }
  return static_cast<double>(count);
}

/// Whether our kernels compute the max pooling at i together with a norm and a ReLU before it.
bool pools_in_one_pass(const Network& network, size_t i) {
  return i > 1 && is(network, i - 2, LayerKind::kNorm) && is(network, i - 1, LayerKind::kRelu) &&
         network[i - 1].slope == 0;
}

/// The memory that layer i keeps for the backward pass, in units of one float32. `before` and
/// `after` are the sizes of its input and output. The memory depends on the neighbouring layers,
/// because layers can be fused. Two bfloat16 elements take the memory of one float32.
int64_t kept_by(const Network& network, size_t i, const Size& before, const Size& after,
                bool bf16) {
  const auto numbers = after.numbers();
  switch (network[i].kind) {
    case LayerKind::kConvolution:
      return bf16 ? (numbers + 1) / 2 : numbers;
    case LayerKind::kLinear:
      return numbers;
    case LayerKind::kNorm:
      // A ReLU or a residual sum after the norm is fused with it or works in place, and is counted
      // by its own layer.
      return i + 1 == network.size() || is(network, i + 1, LayerKind::kRelu) ? 0 : numbers;
    case LayerKind::kRelu:
      if (is(network, i + 1, LayerKind::kMaxPool) && pools_in_one_pass(network, i + 1)) return 0;
      return bf16 && i > 1 && is(network, i - 2, LayerKind::kConvolution) ? 0 : numbers;
    case LayerKind::kResidual:
      return bf16 ? (numbers + 1) / 2 : numbers;
    case LayerKind::kMaxPool:
      // The output, and for each of its elements a byte; LibTorch has an int64 index instead.
      if (!pools_in_one_pass(network, i)) return 3 * numbers;
      return (bf16 ? (numbers + 1) / 2 : numbers) + (numbers + 3) / 4;
    case LayerKind::kMeanPool:
      return after.grid.pixels() == 1 ? numbers : 0;  // what flatten does not copy
    case LayerKind::kFlatten:
      return before.grid.pixels() == 1 ? 0 : numbers;
    case LayerKind::kReshape:
      return 0;  // its copy takes the place of the linear layer's output
    case LayerKind::kUpsample:
      return numbers;
  }
  return 0;
}

/// See Footprint::holes. `gradients` has the sizes of the gradients around each layer.
int64_t holes_of(const std::vector<int64_t>& gradients) {
  int64_t sum = 0;
  int64_t largest = 0;  // so far, from the end of the network
  for (auto at = gradients.rbegin(); at != gradients.rend(); ++at) {
    if (*at <= largest) continue;
    sum += largest;
    largest = *at;
  }
  return sum;
}

/// See Footprint::fixed. `before` is the size of the layer's input.
int64_t fixed_of(const Layer& layer, const Size& before, bool bf16) {
  if (layer.kind != LayerKind::kConvolution) return 0;
  const bool copied = layer.kernel.pixels() > 1 && before.channels > 1;  // otherwise orders agree
  return bf16 || copied ? layer.out * before.channels * layer.kernel.pixels() : 0;
}

}  // namespace

Size size_after(const Layer& layer, const Size& before) {
  switch (layer.kind) {
    case LayerKind::kConvolution:
      return {layer.out, windows(layer, before.grid)};
    case LayerKind::kMaxPool:
      return {before.channels, windows(layer, before.grid)};
    case LayerKind::kLinear:
      ADASSL_CHECK(before.grid == Grid{}, "[network] ", layer.name,
                   ": expected a vector before a linear layer; flatten comes first");
      return {layer.out};
    case LayerKind::kNorm:
    case LayerKind::kRelu:
      return before;
    case LayerKind::kMeanPool:
      return {before.channels, {before.grid.time, 1, 1}};
    case LayerKind::kFlatten:
      return {before.numbers()};
    case LayerKind::kReshape: {
      const Size after{layer.out, layer.grid};
      ADASSL_CHECK(before == Size{after.numbers()}, "[network] reshape: expected a vector of ",
                   after.numbers(), " numbers, got ", before.numbers());
      return after;
    }
    case LayerKind::kUpsample: {
      const Grid &from = before.grid, &to = layer.grid;
      ADASSL_CHECK(doubles(from.height, to.height) && doubles(from.width, to.width),
                   "[network] upsampling: expected a size that a stride of 2 takes to ",
                   from.height, " x ", from.width, ", got ", to.height, " x ", to.width);
      return {before.channels, {from.time, to.height, to.width}};
    }
    case LayerKind::kResidual:
      break;
  }
  const Size after = size_after(layer.body, before);
  const Size shortcut = size_after(layer.shortcut, before);
  ADASSL_CHECK(after == shortcut,
               "[network] expected a shortcut of the size of the body: ", after.channels,
               " channels, got ", shortcut.channels);
  return after;
}

Size size_after(const Network& network, const Size& before) {
  Size out = before;
  for (const Layer& layer : network) out = size_after(layer, out);
  return out;
}

std::vector<PlacedLayer> placed_layers(const Network& network, const Size& input) {
  std::vector<PlacedLayer> out;
  place(network, input, out);
  return out;
}

std::vector<ParameterShape> parameters_of(const Network& network, const Size& input) {
  std::vector<ParameterShape> out;
  for (const auto& [layer, before, after] : placed_layers(network, input)) {
    if (layer.kind == LayerKind::kConvolution) {
      const bool over_time = layer.kernel.time > 1;
      out.push_back({layer.name + ".weight",
                     {layer.out, before.channels,
                      over_time ? layer.kernel.time : layer.kernel.height, layer.kernel.width}});
    }
    if (layer.kind == LayerKind::kLinear) {
      out.push_back({layer.name + ".weight", {layer.out, before.channels}});
      if (layer.bias) out.push_back({layer.name + ".bias", {layer.out}});
    }
    if (layer.kind == LayerKind::kNorm) {
      out.push_back({layer.name + ".weight", {before.channels}});
      out.push_back({layer.name + ".bias", {before.channels}});
    }
  }
  return out;
}

Footprint& Footprint::operator+=(const Footprint& other) {
  kept += other.kept;
  working = std::max(working, other.working);
  holes = std::max(holes, other.holes);
  fixed += other.fixed;
  return *this;
}

Footprint footprint(const Network& network, const Size& input, bool bf16) {
  Footprint out;
  std::vector<int64_t> gradients;  // around each layer
  Size size = input;
  for (size_t i = 0; i < network.size(); ++i) {
    const Layer& layer = network[i];
    if (layer.kind == LayerKind::kResidual) {
      out += footprint(layer.body, size, bf16);
      out += footprint(layer.shortcut, size, bf16);
    }
    const Size after = size_after(layer, size);
    // The gradients of the layer's input and output, and a gradient of the size of the output that
    // waits for the contribution of a shortcut.
    const int64_t numbers = size.numbers() + 2 * after.numbers();
    const int64_t around = bf16 ? (numbers + 1) / 2 : numbers;
    out += {.kept = kept_by(network, i, size, after, bf16),
            .working = around,
            .fixed = fixed_of(layer, size, bf16)};
    gradients.push_back(around);
    size = after;
  }
  out += {.holes = holes_of(gradients)};
  return out;
}

Flops flops(const Network& network, const Size& input) {
  Flops out;
  for (const auto& [layer, before, after] : placed_layers(network, input)) {
    const bool convolves = layer.kind == LayerKind::kConvolution;
    if (!convolves && layer.kind != LayerKind::kLinear) continue;
    auto products = static_cast<double>(before.channels * layer.out);
    if (convolves) {
      const Grid &k = layer.kernel, &s = layer.stride, &p = layer.padding, &g = before.grid;
      products *= taps(g.time, k.time, s.time, p.time) *
                  taps(g.height, k.height, s.height, p.height) *
                  taps(g.width, k.width, s.width, p.width);
    }
    if (out.total == 0) out.first = 2 * products;
    out.total += 2 * products;
  }
  return out;
}

}  // namespace adassl::nn
