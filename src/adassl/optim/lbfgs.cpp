#include "adassl/optim/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

namespace adassl::optim {
namespace {

double product(const Tensor& a, const Tensor& b) { return (a * b).sum().item<double>(); }
double length(const Tensor& a) { return std::sqrt(product(a, a)); }

/// One past step: s, the change of the point, and y, the change of the gradient.
struct Step {
  Tensor s, y;
  double sy = 0;
};

/// -H g, where H is the inverse Hessian estimated from the past steps (the two-loop recursion).
Tensor direction(const Tensor& gradient, const std::deque<Step>& past) {
  Tensor q = gradient.clone();
  std::vector<double> alpha(past.size());
  for (size_t i = past.size(); i-- > 0;) {
    alpha[i] = product(past[i].s, q) / past[i].sy;
    q -= alpha[i] * past[i].y;
  }
  if (past.empty()) {
    q /= std::max(1.0, length(gradient));  // the curvature is unknown: a short step
  } else {
    q *= past.back().sy / product(past.back().y, past.back().y);
  }
  for (size_t i = 0; i < past.size(); ++i) {
    q += (alpha[i] - product(past[i].y, q) / past[i].sy) * past[i].s;
  }
  return -q;
}

struct Found {
  Tensor at;
  Slope slope;
};

/// Bisection between a step that is too short and one that is too long.
std::optional<Found> line_search(const Smooth& f, const Tensor& x, const Slope& here,
                                 const Tensor& d) {
  constexpr double kDescent = 1e-4;
  constexpr double kFlatter = 0.9;
  constexpr int kTrials = 60;
  const double slope = product(here.gradient, d);
  if (!(slope < 0)) return {};
  // Near the minimum, the function changes by less than its rounding error.
  const double rounding = 1e-15 * std::abs(here.value);
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  double t = 1;
  for (int trial = 0; trial < kTrials; ++trial) {
    Found next{x + t * d, {}};
    next.slope = f(next.at);
    if (!(next.slope.value <= here.value + kDescent * t * slope + rounding)) {
      high = t;  // also if the function is not finite
    } else if (product(next.slope.gradient, d) < kFlatter * slope) {
      low = t;
    } else {
      return next;
    }
    t = std::isfinite(high) ? (low + high) / 2 : 2 * low;
  }
  return {};
}

}  // namespace

Minimum minimise(const Smooth& f, const Tensor& start, const LbfgsOptions& options) {
  Minimum out{start.clone(), f(start), 0, false};
  std::deque<Step> past;
  for (;;) {
    out.converged = length(out.slope.gradient) <= options.tolerance;
    if (out.converged || out.iterations == options.max_iterations) return out;
    auto next = line_search(f, out.at, out.slope, direction(out.slope.gradient, past));
    if (!next && past.empty()) return out;
    if (!next) {  // the estimate of the curvature may be bad: discard it and retry
      past.clear();
      continue;
    }
    ++out.iterations;
    Step step{next->at - out.at, next->slope.gradient - out.slope.gradient};
    step.sy = product(step.s, step.y);
    if (step.sy > 0) past.push_back(std::move(step));
    if (static_cast<int64_t>(past.size()) > options.memory) past.pop_front();
    out.at = next->at;
    out.slope = next->slope;
  }
}

}  // namespace adassl::optim
