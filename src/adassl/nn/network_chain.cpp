#include <span>

#include "adassl/nn/built_network.h"

/// Translates the convolutions of a network into a bfloat16 chain (nn/bf16_chain.h). Each
/// convolution, with the norm and the ReLU after it, becomes one layer of the chain. It reads the
/// layer before it, except in residual blocks. For a body of n convolutions b1, ..., bn and a
/// shortcut convolution s, the layers of the chain are
///
///   relu(body(x) + x)            b1, b2, ..., bn          bn adds x, which is n layers back
///   relu(body(x) + shortcut(x))  b1, ..., b(n-1), s, bn   s reads x, which is n layers back;
///                                                         bn reads b(n-1), 2 back, and adds s
namespace adassl::nn {
namespace {

using Layers = std::span<const BuiltLayer>;

bool is(Layers layers, size_t i, LayerKind kind) {
  return i < layers.size() && layers[i].layer.kind == kind;
}

/// The number of convolutions if the layers are a sequence of (convolution, norm, ReLU), and 0
/// otherwise. If `ends_without_relu`, the last convolution has a norm but no ReLU.
size_t convolutions_in(Layers layers, bool ends_without_relu) {
  const size_t count = (layers.size() + (ends_without_relu ? 1 : 0)) / 3;
  if (layers.size() + (ends_without_relu ? 1 : 0) != 3 * count) return 0;
  for (size_t i = 0; i < count; ++i) {
    const bool without_relu = ends_without_relu && i + 1 == count;
    const bool covered =
        is(layers, 3 * i, LayerKind::kConvolution) && is(layers, 3 * i + 1, LayerKind::kNorm) &&
        (without_relu ||
         (is(layers, 3 * i + 2, LayerKind::kRelu) && layers[3 * i + 2].layer.slope == 0));
    if (!covered) return 0;
  }
  return count;
}

/// Whether a chain can compute this residual block. `first` means that the chain starts with it.
/// The first block must not have an identity shortcut, because a chain cannot add its own input.
bool covers_block(const BuiltLayer& block, bool first) {
  if (convolutions_in(block.body, true) == 0) return false;
  return block.shortcut.empty() ? !first : convolutions_in(block.shortcut, true) == 1;
}

/// The number of layers at the start of `layers` that a chain computes together: 1 for a residual
/// block, 3 for convolution, norm and ReLU, 4 with a max pooling after them, and 0 if a chain does
/// not cover them.
size_t step_at(Layers layers, bool first) {
  if (is(layers, 0, LayerKind::kResidual)) return covers_block(layers[0], first) ? 1 : 0;
  if (layers.size() < 3 || convolutions_in(layers.first(3), false) != 1) return 0;
  if (!is(layers, 3, LayerKind::kMaxPool)) return 3;
  return layers[0].layer.kernel.time > 1 ? 0 : 4;  // the images over time are not the frames
}

/// A convolution over space is a chain layer over B T images of H x W pixels. A convolution over
/// time is one over B images of T x (H W) pixels. Both are the same memory, [B, T, H, W, C].
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

/// Appends the layers of a residual block to `out`, in the order given at the top of this file.
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

/// Whether a chain can end with these layers. If the last convolution is over time, the images of
/// its chain layer are whole clips, and a mean over their pixels would be a mean over time as well.
bool can_end_with(Layers layers) {
  const BuiltLayer& last = layers.back();
  if (last.layer.kind == LayerKind::kMaxPool) return false;
  const bool block = last.layer.kind == LayerKind::kResidual;
  const BuiltLayer& convolution = block ? *(last.body.end() - 2) : *(layers.end() - 3);
  return convolution.layer.kernel.time == 1;
}

/// Whether a chain covers all layers from `start` up to a mean pooling over the pixels of frames,
/// and at least one of them.
bool covers_from(Layers layers, size_t start) {
  for (size_t i = start; i < layers.size();) {
    if (i > start && is(layers, i, LayerKind::kMeanPool)) return can_end_with(layers.first(i));
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
      if (is(layers, i, LayerKind::kMaxPool)) {
        out.back().pool = pool_sizes(layers[i], out.back().sizes.images);
        ++i;
      }
    }
  }
  return out;
}

}  // namespace adassl::nn
