#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "adassl/nn/bf16_chain.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/convolution.h"
#include "adassl/nn/network.h"

/// The parameters and the forward pass of a network that nn/network.h describes.
namespace adassl::nn {

/// A layer of the description together with its parameters. Of the pointers, only the one that
/// belongs to the kind of the layer is set.
struct BuiltLayer {
  Layer layer;
  Size before, after;  // size of one observation at the input and at the output
  std::shared_ptr<Convolution> convolution = nullptr;
  std::shared_ptr<Linear> linear = nullptr;
  std::shared_ptr<BatchNorm> norm = nullptr;
  std::vector<BuiltLayer> body = {};      // residual blocks only
  std::vector<BuiltLayer> shortcut = {};  // residual blocks only; empty for the identity
};

/// y = layer_n(...(layer_1(x))). Three implementations share the work. LibTorch's operations, in
/// channels-last memory, are the reference. Fused kernels compute batch normalisation with the
/// ReLU and the residual sum after it, where nn/norm_relu_function.h covers the case. If bfloat16
/// is requested and fast on this machine, one chain (nn/bf16_chain.h) computes all layers from
/// `chain_start` up to the mean pooling.
class BuiltNetwork {
 public:
  /// Registers the parameters in `root`, under the names that the description gives them.
  BuiltNetwork(torch::nn::Module& root, const Network& network, const Size& input,
               const ComputePtr& compute);

  /// x is [B, C], [B, C, H, W] or [B, C, T, H, W]. The shape of the result depends on the end of
  /// the network:
  ///   linear or flatten             [B, C']
  ///   mean pooling                  [B T', C']
  ///   convolution over time         [B, C', T', H' W'], also after a following norm or ReLU
  ///   any other layer over space    [B T', C', H', W']
  Tensor forward(const Tensor& x) const;

  const Network& description() const { return network_; }
  const std::vector<BuiltLayer>& layers() const { return layers_; }
  const Size& input() const { return input_; }
  const Size& output() const { return output_; }
  /// The memory that a training step needs for one observation. Layers that run in a bfloat16 chain
  /// are counted as such.
  Footprint footprint() const;

 private:
  Network network_;
  Size input_, output_;
  ComputePtr compute_;
  std::vector<BuiltLayer> layers_;
  std::optional<size_t> chain_start_;  // index of the first layer that the bfloat16 chain covers
};

/// The two-dimensional convolution that computes this layer for `in` input channels. A convolution
/// over space runs over [H, W] of each frame. A convolution over time runs over [T, H W] of each
/// clip, with a kernel that is one pixel wide.
ConvolutionShape convolution_shape(const Layer& layer, int64_t in);

/// The sizes of a max pooling over so many frames.
kernels::PoolSizes pool_sizes(const BuiltLayer& at, int64_t images);

/// The index of the first layer from which a bfloat16 chain can compute everything up to the mean
/// pooling. Empty if the network has no mean pooling, or if a chain does not cover the layers
/// directly before it.
std::optional<size_t> chain_start(const std::vector<BuiltLayer>& layers);
/// The chain that computes layers `start` up to the mean pooling, for `batch` observations.
std::vector<ChainLayer> chain_from(const std::vector<BuiltLayer>& layers, size_t start,
                                   int64_t batch);

}  // namespace adassl::nn
