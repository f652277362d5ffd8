#pragma once

#include <functional>

#include "adassl/nn/torch.h"

namespace adassl::optim {

/// The value and gradient of a smooth function at a point.
struct Slope {
  double value = 0;
  Tensor gradient;  // has the shape of the point
};
using Smooth = std::function<Slope(const Tensor&)>;

struct LbfgsOptions {
  int64_t max_iterations = 1000;
  double tolerance = 1e-6;  // the search ends when the norm of the gradient is below this
  int64_t memory = 10;      // the number of past steps from which the curvature is estimated
};

struct Minimum {
  Tensor at;
  Slope slope;
  int64_t iterations = 0;
  bool converged = false;  // false: stopped by max_iterations, or no step lowers f any more
};

/// L-BFGS (Nocedal, 1980): quasi-Newton steps with an inverse Hessian that is estimated from the
/// last few steps. The length of a step is found by bisection until the weak Wolfe conditions hold:
/// sufficient decrease of the function and of its slope. Computed in double precision; equal
/// arguments give equal bits.
Minimum minimise(const Smooth& f, const Tensor& start, const LbfgsOptions& options);

}  // namespace adassl::optim
