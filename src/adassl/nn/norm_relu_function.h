#pragma once

#include "adassl/kernels/norm_relu.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/layers.h"

/// Batch normalisation with what follows it, for x [N, C, H, W]:
///
///   plain_norm     norm(x)
///   norm_relu      relu(norm(x))
///   norm_add_relu  relu(norm(x) + shortcut), shortcut [N, C, H, W]
///
/// A kernel (kernels/norm_relu.h) runs where memory is channels-last, in training mode or where no
/// gradient is wanted; the memory of the result is then channels-last, too. Otherwise LibTorch
/// runs.
namespace adassl::nn {

Tensor plain_norm(const Tensor& x, BatchNorm& norm, const Compute& compute);
Tensor norm_relu(const Tensor& x, BatchNorm& norm, const Compute& compute);
Tensor norm_add_relu(const Tensor& x, BatchNorm& norm, const Tensor& shortcut,
                     const Compute& compute);

/// As kernels want them.
kernels::NormStatistics running_statistics(const BatchNorm& norm);

}  // namespace adassl::nn
