#pragma once

#include "adassl/nn/compute.h"

namespace adassl::nn {

/// Updates an exponential moving average in place:
///   average <- momentum average + (1 - momentum) values
/// `values` and `average` have the same shape. No gradient is recorded.
void follow(const Tensor& values, Tensor average, double momentum, const Compute& compute);

}  // namespace adassl::nn
