#pragma once

#include <vector>

#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/relu_pool.h"
#include "adassl/nn/torch.h"

/// What a chain (nn/bf16_chain.h) keeps of its forward pass for its backward pass: for each layer
/// y_l [pixels, out] in bfloat16, the statistics and the map of its norm, and, where they are
/// stored, its activations.
namespace adassl::nn {

// Within a chain, tensors are one-dimensional and hold [pixels, channels] in row-major order.
inline Tensor empty_bf16(int64_t count) { return torch::empty({count}, torch::kBFloat16); }

inline kernels::Bf16* numbers(const Tensor& tensor) {
  return reinterpret_cast<kernels::Bf16*>(tensor.data_ptr<at::BFloat16>());
}

/// The output of one layer before its norm or bias, and the map that its norm or bias applies.
struct LayerState {
  kernels::ConvolutionSizes sizes;
  Tensor numbers;                      // [pixels, out] y in bfloat16
  kernels::NormStatistics statistics;  // [out] each
  kernels::ChannelMap map;             // [out] each; the activations are max(0, scale y + offset)
  bool normed = false;  // true: the layer has a norm; false: it has a bias or neither
  bool moves = false;   // the statistics are those of the batch, so they have gradients
  Tensor joined = {};   // [pixels, out] the activations, if a shortcut is added or they are pooled
  Tensor taps = {};     // if they are pooled: which one each window took
  kernels::PoolSizes pool = {};

  static constexpr int64_t kX = -1;     // in `reads`: the input x of the chain
  static constexpr int64_t kNone = -1;  // in `adds`: no shortcut; x itself is never added
  int64_t reads = kX;                   // index of the layer whose activations are the input
  int64_t adds = kNone;                 // index of the layer that is the shortcut
  bool without_relu = false;

  bool pools() const { return taps.defined(); }
  /// y with its norm, and the activations if they are stored pixel by pixel.
  kernels::Normed with_norm() const {
    return {nn::numbers(numbers), &statistics, &map,
            joined.defined() && !pools() ? nn::numbers(joined) : nullptr};
  }
  /// What other layers read.
  kernels::Normed activations() const {
    return pools() ? kernels::Normed{nn::numbers(joined)} : with_norm();
  }
};

/// A chain after its forward pass.
struct Chain {
  Tensor x;                         // [pixels, in] in bfloat16
  std::vector<LayerState> written;  // one per layer

  const LayerState& at(int64_t layer) const { return written[static_cast<size_t>(layer)]; }
  kernels::Normed activations_of(int64_t layer) const {
    return layer == LayerState::kX ? kernels::Normed{numbers(x)} : at(layer).activations();
  }
  /// Whether this layer is the first one that reads its input.
  bool reads_first(int64_t layer) const {
    for (int64_t l = 0; l < layer; ++l) {
      if (at(l).reads == at(layer).reads) return false;
    }
    return true;
  }
};

}  // namespace adassl::nn
