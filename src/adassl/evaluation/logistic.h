#pragma once

#include "adassl/optim/lbfgs.h"

namespace adassl::evaluation {

struct LogisticOptions {
  double l2 = 1e-6;
  int64_t max_iterations = 1000;
  double tolerance = 1e-6;
};

/// Logits of classes as an affine map of the features.
struct Classifier {
  Tensor weights;    // [D, C]
  Tensor intercept;  // [C]
  int64_t iterations = 0;
  bool converged = false;

  Tensor operator()(const Tensor& x) const { return x.matmul(weights) + intercept; }
  /// The likeliest class of each row: [N, D] -> [N].
  Tensor classify(const Tensor& x) const { return (*this)(x).argmax(1); }
};

/// Multinomial logistic regression with bias, to the minimum of
///   mean cross entropy + l2 / 2 * |W|^2,   W: weights of the features scaled to unit variance
/// by L-BFGS over all rows, in double precision. Constant features, and directions in which the
/// features do not vary, get weight 0. The bias is not regularised. The search uses coordinates in
/// which the problem is well conditioned, which changes the number of iterations but not the
/// minimum.
Classifier fit_logistic(const Tensor& x, const Tensor& labels, int64_t classes,
                        const LogisticOptions& options);

}  // namespace adassl::evaluation
