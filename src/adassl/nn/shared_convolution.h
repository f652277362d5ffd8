#pragma once

#include "adassl/nn/convolution.h"

/// Convolutions in float32 by LibTorch, whose bits do not depend on the number of threads.
///
/// LibTorch divides a convolution among its threads, and then adds in an order, or even chooses an
/// algorithm, that depends on how many there are. Here each pass is divided into shares first,
/// according to its sizes alone. Each share is one call of LibTorch on one thread of ours:
///
///   of images     y[share] = convolution(x[share]), dx[share] from dy[share], and dweight is the
///                 sum over the shares of what dy[share] and x[share] give, in their order
///   of channels   y[:, share], dx[:, share] and dweight[share], from the weights that they need
///
/// The channels are divided where there are too few pixels for several shares of images.
namespace adassl::nn {

/// As `convolution`, for float32 on the CPU. It is differentiable once.
Tensor shared_convolution(const Tensor& x, const Tensor& weight, const ConvolutionShape& shape);

}  // namespace adassl::nn
