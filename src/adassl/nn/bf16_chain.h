#pragma once

#include <vector>

#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/relu_pool.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/layers.h"

/// A sequence of convolutions or linear layers that is computed in bfloat16. Convolutional networks
/// and wide multilayer perceptrons both use it. For layer l,
///
///   y_l = weight_l * a_r                        [pixels, out], a convolution or a linear map
///   a_l = max(0, norm_l(y_l) + a_s)             [pixels, out], or y_l + bias_l instead of the
///   norm,
///                                               or the max pooling of max(0, norm_l(y_l))
///
/// where r is the layer that l reads, usually l - 1, and s is a layer whose activations are added
/// (a shortcut), usually none. The operands of the products and the tensors between layers are
/// bfloat16. Sums are accumulated in float32, and parameters are float32.
namespace adassl::nn {

/// One layer: a convolution, then batch normalisation or a bias, then an optional shortcut, then
/// ReLU. A linear map is a 1 x 1 convolution, where each row of its input is a pixel.
struct ChainLayer {
  kernels::ConvolutionSizes sizes;
  Tensor weight;              // [out, in, height, width], or [out, in]
  BatchNorm* norm = nullptr;  // null: the layer has no norm
  Tensor bias = {};           // [out], or undefined; it is used only if there is no norm

  // A max pooling after the ReLU; without a kernel there is none. Such a layer has a norm, is not
  // the last one, and adds nothing.
  kernels::PoolSizes pool = {};

  // These members describe residual blocks. A distance of k means the layer k positions earlier in
  // the list. The chain's input x counts as the layer before the first one.
  int64_t reads_back = 1;  // distance to the layer whose activations are the input
  // Distance to the layer whose activations are added; 0 means none. A layer must not be added
  // before another layer has read it. A layer without ReLU is the exception: it is never read.
  int64_t adds_back = 0;
  bool without_relu = false;  // omits the ReLU; only for a layer that another layer adds

  bool pools() const { return pool.kernel[0] > 0; }
  /// The pixels of the activations, which are fewer than those of y after a pooling.
  int64_t outputs() const { return pools() ? pool.outputs() : sizes.outputs(); }
};

/// What the chain returns from its last layer.
enum class ChainEnd {
  kPooled,  // the mean of the activations over the pixels of each image: [images, out]
  kLinear,  // weight * input + bias, without norm and ReLU: [pixels, out]
};

/// Whether `bf16_chain` can compute these layers. This requires that bfloat16 is requested and fast
/// on this machine, that all tensors are float32 on the CPU, that x has as many elements as the
/// first layer reads, and that a norm in training mode sees at least two pixels.
bool chain_covers(const Tensor& x, const std::vector<ChainLayer>& layers, const Compute& compute);
/// Throws an Error if the sizes of the layers do not match, or if the order in which they read and
/// add each other is not supported.
void require_chain(const Tensor& x, const std::vector<ChainLayer>& layers, ChainEnd end);

/// Runs the layers on x as one operation of the autograd graph. It is differentiable once, with
/// respect to x and all parameters. The elements of x are read in memory order as
/// [pixels, channels], whatever the shape of x is.
///
/// With ChainEnd::kLinear, the output is rounded to bfloat16 before the bias is added, and so is
/// the incoming gradient. The gradient of x is also rounded to bfloat16. A NaN row can contaminate
/// the preceding row in every layer.
Tensor bf16_chain(const Tensor& x, const std::vector<ChainLayer>& layers, ChainEnd end);

}  // namespace adassl::nn
