#pragma once

#include "adassl/kernels/norm_relu.h"
#include "adassl/nn/layers.h"

namespace adassl::nn {

/// relu(norm(x)) for x [N, C, H, W]. By a kernel where memory is channels-last, in training mode or
/// where no gradient is wanted; the result's memory then is channels-last too.
Tensor norm_relu(const Tensor& x, BatchNorm& norm);

/// As kernels want them.
kernels::NormStatistics running_statistics(const BatchNorm& norm);

}  // namespace adassl::nn
