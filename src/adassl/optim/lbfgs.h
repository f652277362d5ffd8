#pragma once

#include <functional>

#include "adassl/nn/torch.h"

namespace adassl::optim {

/// A smooth function at a point.
struct Slope {
  double value = 0;
  Tensor gradient;  // as the point
};
using Smooth = std::function<Slope(const Tensor&)>;

struct LbfgsOptions {
  int64_t max_iterations = 1000;
  double tolerance = 1e-6;  // the norm of the gradient at which the search ends
  int64_t memory = 10;      // steps from which the curvature is estimated
};

struct Minimum {
  Tensor at;
  Slope slope;
  int64_t iterations = 0;
  bool converged = false;  // false: at max_iterations, or no step lowers the function any more
};

/// L-BFGS (Nocedal, 1980): quasi-Newton steps, the inverse Hessian estimated from the last few
/// steps. The length of a step is found by bisection until the weak Wolfe conditions hold: enough
/// descent, and enough less slope. Double precision; the same bits for the same arguments.
Minimum minimise(const Smooth& f, const Tensor& start, const LbfgsOptions& options);

}  // namespace adassl::optim
