#include <algorithm>
#include <string>

#include "adassl/core/error.h"
#include "adassl/nn/bf16_chain.h"

/// Checks which chains are valid. In a chain,
///
///   y_l = weight_l * a_r             [pixels, out], where layer l reads r = l - reads_back
///   a_l = max(0, norm_l(y_l) + a_s)  [pixels, out], where layer l adds  s = l - adds_back
///
/// The sizes must match: a_r is [inputs of l, in of l], and a_s has the shape of y_l. The backward
/// pass visits the layers from the last to the first, and da_l is a sum over all layers that read
/// or add l. The order of the layers must guarantee that this sum is complete when it is used.
namespace adassl::nn {
namespace {

/// The size of x or of the output of a layer: [pixels, channels].
struct LayerOutput {
  int64_t pixels = 0;
  int64_t channels = 0;
  bool operator==(const LayerOutput&) const = default;
};

/// `before` holds the sizes of x and of all layers before layer l.
void require_sizes(const ChainLayer& of, int64_t l, const std::vector<LayerOutput>& before) {
  const auto count = static_cast<int64_t>(before.size());  // including x
  ADASSL_CHECK(
      of.reads_back >= 1 && of.reads_back <= count && of.adds_back >= 0 && of.adds_back < count,
      "[bf16] layer ", l, " reads ", of.reads_back, " back and adds ", of.adds_back,
      " back, where ", l, " layers and x are before it");
  const auto back = [&](int64_t by) { return before[static_cast<size_t>(count - by)]; };
  const LayerOutput read = back(of.reads_back);
  ADASSL_CHECK(read == (LayerOutput{of.sizes.inputs(), of.sizes.in}), "[bf16] layer ", l, " reads ",
               of.sizes.inputs(), " x ", of.sizes.in, " numbers, where there are ", read.pixels,
               " x ", read.channels);
  const LayerOutput written{of.outputs(), of.sizes.out};
  ADASSL_CHECK(of.adds_back == 0 || back(of.adds_back) == written, "[bf16] layer ", l,
               " adds numbers of another shape than its own");
  ADASSL_CHECK(of.weight.numel() == of.sizes.out * of.sizes.in * of.sizes.taps(), "[bf16] layer ",
               l, " has ", of.weight.numel(), " weights, expected ",
               of.sizes.out * of.sizes.in * of.sizes.taps());
}

/// The backward pass visits the layers from the last to the first. It treats the gradient of layer
/// l as complete once it has visited the first layer that reads l. Layers that add l must therefore
/// not come before that reader. A layer without ReLU is not read: it gets its whole gradient from
/// the one layer that adds it.
void require_readers(const std::vector<ChainLayer>& layers, int64_t l) {
  const auto count = static_cast<int64_t>(layers.size());
  int64_t first_reader = count;
  int64_t first_adder = count;
  int64_t adders = 0;
  for (int64_t later = count - 1; later > l; --later) {
    const ChainLayer& of = layers[static_cast<size_t>(later)];
    if (later - of.reads_back == l) first_reader = later;
    if (of.adds_back == 0 || later - of.adds_back != l) continue;
    first_adder = later;
    ++adders;
  }
  if (layers[static_cast<size_t>(l)].without_relu) {
    ADASSL_CHECK(first_reader == count && adders == 1, "[bf16] layer ", l,
                 " has no ReLU: one other layer may add it, and none read it");
    return;
  }
  ADASSL_CHECK(first_reader < count, "[bf16] layer ", l, " is read by no later one");
  ADASSL_CHECK(first_reader <= first_adder, "[bf16] layer ", l, " is added before it is read");
}

/// In training mode, a norm needs at least two pixels, because one alone has no variance.
bool has_statistics(const ChainLayer& of) {
  return !of.norm->is_training() || of.sizes.outputs() >= 2;
}

}  // namespace

bool chain_covers(const Tensor& x, const std::vector<ChainLayer>& layers, const Compute& compute) {
  if (!compute.multiplies_in_bf16() || !compute.fuses(x)) return false;
  if (x.numel() == 0 || layers.empty()) return false;
  if (layers[0].sizes.inputs() * layers[0].sizes.in != x.numel()) return false;
  return std::ranges::all_of(layers, [&](const ChainLayer& of) {
    if (!compute.fuses(of.weight)) return false;
    return of.norm == nullptr || (compute.fuses(of.norm->weight) && has_statistics(of));
  });
}

void require_chain(const Tensor& x, const std::vector<ChainLayer>& layers, ChainEnd end) {
  ADASSL_CHECK(!layers.empty(), "[bf16] expected layers");
  const int64_t channels = layers[0].sizes.in;
  ADASSL_CHECK(channels > 0 && x.numel() % channels == 0, "[bf16] expected ", channels,
               " channels, got ", x.numel(), " numbers");
  std::vector<LayerOutput> outputs = {{x.numel() / channels, channels}};
  for (const ChainLayer& of : layers) {
    const auto l = static_cast<int64_t>(outputs.size()) - 1;
    require_sizes(of, l, outputs);
    ADASSL_CHECK(!of.without_relu || of.adds_back == 0, "[bf16] layer ", l,
                 " adds something: then it has a ReLU");
    ADASSL_CHECK(of.norm == nullptr || has_statistics(of), "[bf16] layer ", l,
                 " has a norm: to train it expects two rows or more, got one");
    ADASSL_CHECK(
        !of.pools() || (of.norm != nullptr && of.adds_back == 0 && !of.without_relu &&
                        of.pool.inputs() == of.sizes.outputs() && of.pool.channels == of.sizes.out),
        "[bf16] layer ", l, " has a max pooling: it expects its norm and ReLU alone");
    outputs.push_back({of.outputs(), of.sizes.out});
  }
  for (size_t l = 0; l + 1 < layers.size(); ++l) require_readers(layers, static_cast<int64_t>(l));
  const ChainLayer& last = layers.back();
  ADASSL_CHECK(!last.without_relu,
               "[bf16] the last layer has no ReLU: then another one must add it");
  ADASSL_CHECK(!last.pools(), "[bf16] the last layer has a max pooling: another one must read it");
  ADASSL_CHECK(end == ChainEnd::kPooled || (last.norm == nullptr && last.adds_back == 0),
               "[bf16] a linear end has neither norm nor shortcut");
}

}  // namespace adassl::nn
