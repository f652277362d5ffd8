#pragma once

#include <cstdint>
#include <vector>

#include "adassl/nn/torch.h"

namespace adassl::evaluation {

struct LassoOptions {
  int64_t folds = 5;
  int64_t alphas = 100;
  double eps = 1e-3;        // the smallest alpha as a share of the largest
  double tolerance = 1e-4;  // of the duality gap, as a share of |y|^2
  int64_t max_iterations = 50'000;
};

/// A linear regression whose weights have few entries that are not zero.
struct LassoFit {
  Tensor weights;  // [D]
  double intercept = 0;
  double alpha = 0;
  std::vector<double> grid;    // the alphas that were tried, descending
  std::vector<double> errors;  // for each of them: mean squared error, averaged over the folds
  double error = 0;            // the one of `alpha`
  bool converged = true;       // whether all fits reached the tolerance
};

/// The Lasso with a cross-validated penalty, in double precision, one fit for each column of y:
///   minimise |y - x w - b|^2 / (2 N) + alpha |w|_1
///   alpha: of a geometric grid from max_i |x_i' y| / N (centred; all weights are zero) down to
///   eps times that, the one with the smallest error on held-out folds
/// Folds are contiguous, the first N mod folds of them one row longer. Each path of fits starts at
/// the largest alpha, and every fit at the weights of the one before. The final weights come from a
/// fit to all rows that starts at zero. This is scikit-learn's LassoCV with its defaults.
///
/// Coordinate descent needs only the sums of products x' x and x' y, so all columns of y and all
/// folds share one pass over the rows. x [N, D], y [N, F]. If they are not finite, neither are the
/// results.
std::vector<LassoFit> lasso_cv(const Tensor& x, const Tensor& y, const LassoOptions& options = {});

}  // namespace adassl::evaluation
