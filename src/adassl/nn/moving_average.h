#pragma once

#include "adassl/nn/compute.h"

namespace adassl::nn {

/// average <- momentum average + (1 - momentum) values, in place.
void follow(const Tensor& values, Tensor average, double momentum, const Compute& compute);

}  // namespace adassl::nn
