#pragma once

#include "adassl/nn/torch.h"

namespace adassl::evaluation {

/// Ordinary least squares with intercept, in closed form and double precision.
struct AffineMap {
  Tensor weights;    // [d, F]
  Tensor intercept;  // [F]
  Tensor operator()(const Tensor& x) const { return x.matmul(weights) + intercept; }
};

/// Directions in which x does not vary (relative variance below 1e-12) get weight 0.
AffineMap least_squares(const Tensor& x, const Tensor& y);

/// 1 - SSE / SST for each column, where SST uses the mean of this y.
Tensor r_squared(const Tensor& predicted, const Tensor& y);

}  // namespace adassl::evaluation
