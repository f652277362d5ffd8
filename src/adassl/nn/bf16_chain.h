#pragma once

#include <vector>

#include "adassl/kernels/convolution/convolution.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/layers.h"

/// Layers whose products are of bfloat16, one on the other: what stacks of convolutions and wide
/// perceptrons have in common. Sums and parameters are float32; between layers numbers are
/// bfloat16.
namespace adassl::nn {

/// A convolution; or a linear map, of pixels that know nothing of their neighbours. Then a norm, or
/// a bias; then what is added; then ReLU.
struct ChainLayer {
  kernels::ConvolutionSizes sizes;
  Tensor weight;              // [out, in, height, width], or [out, in]
  BatchNorm* norm = nullptr;  // if none:
  Tensor bias = {};           // [out], or undefined

  // What residual blocks are made of. Layers are counted from the first; back 1 is the one before.
  int64_t reads_back = 1;     // whose activations are read; x is before the first
  int64_t adds_back = 0;      // whose activations are added, which some layer has read; 0: none
  bool without_relu = false;  // has no ReLU: for one that is only added
};

/// What leaves the last layer.
enum class ChainEnd {
  kPooled,  // the mean of its activations over each picture's pixels: [images, out]
  kLinear,  // its sums, and the bias, without norm or ReLU: [pixels, out]
};

/// Whether `bf16_chain` can do it: products of bfloat16 are requested and gain, float32 tensors, as
/// much of x as is read, and more than one row for norms that train.
bool chain_covers(const Tensor& x, const std::vector<ChainLayer>& layers, const Compute& compute);
/// An error where layers do not fit on each other.
void require_chain(const Tensor& x, const std::vector<ChainLayer>& layers, ChainEnd end);

/// x is [pixels, channels] in memory, whatever its shape; it gets a gradient where it wants one. As
/// between layers, what leaves a linear end was rounded, before the bias, and so are gradients that
/// arrive there or leave for x. A row that is no number may spoil the one before it, layer by
/// layer.
Tensor bf16_chain(const Tensor& x, const std::vector<ChainLayer>& layers, ChainEnd end);

}  // namespace adassl::nn
