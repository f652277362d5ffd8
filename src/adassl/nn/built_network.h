#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "adassl/nn/bf16_chain.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/convolution.h"
#include "adassl/nn/network.h"

namespace adassl::nn {

/// A line of a network's table, with its parameters.
struct BuiltLayer {
  Layer layer;
  Size before, after;  // of one observation
  std::shared_ptr<Convolution> convolution = nullptr;
  std::shared_ptr<Linear> linear = nullptr;
  std::shared_ptr<BatchNorm> norm = nullptr;
  std::vector<BuiltLayer> body = {};
  std::vector<BuiltLayer> shortcut = {};
};

/// The parameters of a network, and its forward pass. LibTorch's operations are the reference, with
/// channels last; norms, ReLUs and sums run in kernels of our own where these cover them, and all
/// layers up to a mean pooling in bfloat16 where that is requested and gains (nn/bf16_chain.h).
class BuiltNetwork {
 public:
  /// Registers the parameters in `root`, under the names that the description has.
  BuiltNetwork(torch::nn::Module& root, const Network& network, const Size& input,
               const ComputePtr& compute);

  /// x is [B, C], [B, C, H, W] or [B, C, T, H, W]. The result is [B, C'] if the network ends with a
  /// vector, and otherwise [B T', C', H', W'].
  Tensor forward(const Tensor& x) const;

  const Network& description() const { return network_; }
  const std::vector<BuiltLayer>& layers() const { return layers_; }
  const Size& input() const { return input_; }
  const Size& output() const { return output_; }
  /// Of one observation, in the precision that is used.
  Footprint footprint() const;

 private:
  Network network_;
  Size input_, output_;
  ComputePtr compute_;
  std::vector<BuiltLayer> layers_;
  std::optional<size_t> chain_start_;  // the first layer that bfloat16 covers
};

/// A convolution as LibTorch and our kernels run it: over height and width of frames, or over time
/// and pixels.
ConvolutionShape convolution_shape(const Layer& layer, int64_t in);

/// The first layer from which a chain in bfloat16 can run up to the mean pooling; none where there
/// is no such pooling, or nothing before it that a chain covers.
std::optional<size_t> chain_start(const std::vector<BuiltLayer>& layers);
/// The layers from there on up to the mean pooling, for a batch of so many observations.
std::vector<ChainLayer> chain_from(const std::vector<BuiltLayer>& layers, size_t start,
                                   int64_t batch);

}  // namespace adassl::nn
