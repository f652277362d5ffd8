#include <span>

#include "adassl/nn/built_network.h"

/// A network's convolutions as a chain in bfloat16. Each convolution, with the norm behind it, is
/// one layer of the chain; it reads the layer before it unless a block begins or ends:
///
///   relu(body(x) + x)            b1 b2 ... bn          bn adds x, n layers back
///   relu(body(x) + shortcut(x))  b1 ... b(n-1) s bn    s reads x, n back; bn reads b(n-1) and adds
///   s
namespace adassl::nn {
namespace {

using Layers = std::span<const BuiltLayer>;

bool is(Layers layers, size_t i, LayerKind kind) {
  return i < layers.size() && layers[i].layer.kind == kind;
}

/// How many convolutions these layers are, if each has a norm and then a ReLU; the last one has the
/// norm only where `bare_end`. 0 where they are anything else.
size_t convolutions_in(Layers layers, bool bare_end) {
  const size_t count = (layers.size() + (bare_end ? 1 : 0)) / 3;
  if (layers.size() + (bare_end ? 1 : 0) != 3 * count) return 0;
  for (size_t i = 0; i < count; ++i) {
    const bool bare = bare_end && i + 1 == count;
    const bool covered =
        is(layers, 3 * i, LayerKind::kConvolution) && is(layers, 3 * i + 1, LayerKind::kNorm) &&
        (bare || (is(layers, 3 * i + 2, LayerKind::kRelu) && layers[3 * i + 2].layer.slope == 0));
    if (!covered) return 0;
  }
  return count;
}

/// Whether a chain covers a block; the first layer of a chain cannot add x itself.
bool covers_block(const BuiltLayer& block, bool first) {
  if (convolutions_in(block.body, true) == 0) return false;
  return block.shortcut.empty() ? !first : convolutions_in(block.shortcut, true) == 1;
}

/// How many layers from here on are one step of a chain: a block, or convolution, norm and ReLU; 0
/// where a chain does not cover them.
size_t step_at(Layers layers, bool first) {
  if (is(layers, 0, LayerKind::kResidual)) return covers_block(layers[0], first) ? 1 : 0;
  return layers.size() >= 3 && convolutions_in(layers.first(3), false) == 1 ? 3 : 0;
}

ChainLayer chain_layer(const BuiltLayer& at, BatchNorm& norm, int64_t batch) {
  const Grid& g = at.before.grid;
  const ConvolutionShape& shape = at.convolution->shape();
  const bool over_time = at.layer.kernel.time > 1;
  return {{.images = over_time ? batch : batch * g.time,
           .height = over_time ? g.time : g.height,
           .width = over_time ? g.height * g.width : g.width,
           .in = shape.in,
           .out = shape.out,
           .kernel = shape.kernel,
           .stride = shape.stride,
           .padding = shape.padding},
          at.convolution->weight,
          &norm};
}

void add_block(const BuiltLayer& block, int64_t batch, std::vector<ChainLayer>& out) {
  const size_t count = convolutions_in(block.body, true);
  for (size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    if (last && !block.shortcut.empty()) {
      out.push_back(chain_layer(block.shortcut[0], *block.shortcut[1].norm, batch));
      out.back().reads_back = static_cast<int64_t>(count);
      out.back().without_relu = true;
    }
    out.push_back(chain_layer(block.body[3 * i], *block.body[3 * i + 1].norm, batch));
    if (!last) continue;
    out.back().adds_back = block.shortcut.empty() ? static_cast<int64_t>(count) : 1;
    if (!block.shortcut.empty()) out.back().reads_back = 2;
  }
}

/// Whether a chain covers all layers from `start` up to a mean pooling.
bool covers_from(Layers layers, size_t start) {
  for (size_t i = start; i < layers.size();) {
    if (i > start && is(layers, i, LayerKind::kMeanPool)) return true;
    const size_t step = step_at(layers.subspan(i), i == start);
    if (step == 0) return false;
    i += step;
  }
  return false;
}

}  // namespace

std::optional<size_t> chain_start(const std::vector<BuiltLayer>& layers) {
  for (size_t start = 0; start < layers.size(); ++start) {
    if (covers_from(layers, start)) return start;
  }
  return {};
}

std::vector<ChainLayer> chain_from(const std::vector<BuiltLayer>& layers, size_t start,
                                   int64_t batch) {
  std::vector<ChainLayer> out;
  for (size_t i = start; !is(layers, i, LayerKind::kMeanPool);) {
    if (is(layers, i, LayerKind::kResidual)) {
      add_block(layers[i], batch, out);
      ++i;
    } else {
      out.push_back(chain_layer(layers[i], *layers[i + 1].norm, batch));
      i += 3;
    }
  }
  return out;
}

}  // namespace adassl::nn
