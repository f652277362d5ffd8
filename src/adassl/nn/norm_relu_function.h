#pragma once

#include "adassl/nn/layers.h"

namespace adassl::nn {

/// relu(norm(x)) for x [N, C, H, W] in channels-last memory; the result's is too. In training mode
/// with the batch's own statistics, which the norm's running ones follow; otherwise with those, and
/// without a gradient.
Tensor norm_relu(const Tensor& x, BatchNorm& norm);

/// Whether the kernel covers this call.
bool norm_relu_covers(const Tensor& x, const BatchNorm& norm);

}  // namespace adassl::nn
