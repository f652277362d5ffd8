#pragma once

#include "adassl/kernels/norm_relu.h"
#include "adassl/kernels/relu_pool.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/layers.h"

/// Batch normalisation, alone or fused with the operations after it. All tensors are [N, C, H, W]:
///
///   plain_norm     y = norm(x)
///   norm_relu      y = relu(norm(x))
///   norm_add_relu  y = relu(norm(x) + shortcut)
///   norm_relu_pool y = max_pool(relu(norm(x))), [N, C, H', W']
///
/// A fused kernel (kernels/norm_relu.h, kernels/relu_pool.h) runs if all tensors are float32 on the
/// CPU in channels-last memory, and if the norm is in training mode or gradients are disabled. Its
/// result is in channels-last memory and is differentiable once. In all other cases LibTorch's
/// operations run.
namespace adassl::nn {

Tensor plain_norm(const Tensor& x, BatchNorm& norm, const Compute& compute);
Tensor norm_relu(const Tensor& x, BatchNorm& norm, const Compute& compute);
Tensor norm_add_relu(const Tensor& x, BatchNorm& norm, const Tensor& shortcut,
                     const Compute& compute);
/// `window` has the kernel, the stride and the padding.
Tensor norm_relu_pool(const Tensor& x, BatchNorm& norm, const kernels::PoolSizes& window,
                      const Compute& compute);

/// The running mean and variance of a norm, [C] each, in the form that kernels read.
kernels::NormStatistics running_statistics(const BatchNorm& norm);

}  // namespace adassl::nn
