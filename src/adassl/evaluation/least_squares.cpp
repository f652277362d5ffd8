#include "adassl/evaluation/least_squares.h"

namespace adassl::evaluation {

AffineMap least_squares(const Tensor& x, const Tensor& y) {
  const Tensor x_mean = x.mean(0);
  const Tensor y_mean = y.mean(0);
  const Tensor centred = x - x_mean;
  const Tensor gram = centred.t().matmul(centred);
  const auto [values, vectors] = torch::linalg_eigh(gram, "L");
  const Tensor cutoff = values.max() * 1e-12;
  const Tensor inverted = torch::where(values > cutoff, 1 / values, torch::zeros_like(values));
  const Tensor weights =
      vectors.matmul(inverted.unsqueeze(1) * vectors.t().matmul(centred.t().matmul(y - y_mean)));
  return {weights, y_mean - x_mean.matmul(weights)};
}

Tensor r_squared(const Tensor& predicted, const Tensor& y) {
  const Tensor error = (y - predicted).square().sum(0);
  const Tensor total = (y - y.mean(0)).square().sum(0);
  return 1 - error / total;
}

}  // namespace adassl::evaluation
