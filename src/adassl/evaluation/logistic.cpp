#include "adassl/evaluation/logistic.h"

#include "adassl/core/error.h"

namespace adassl::evaluation {
namespace {

/// z = (x - mean) turn: the principal directions, scaled so that the curvature of the loss is about
/// the same along all of them.
struct Coordinates {
  Tensor mean;     // [D]
  Tensor turn;     // [D, R]
  Tensor squared;  // [R] the contribution of a unit weight along each to |W|^2
};

Coordinates coordinates(const Tensor& x, double l2) {
  const Tensor mean = x.mean(0);
  const Tensor deviation = (x - mean).square().mean(0).sqrt();
  // A smaller deviation is the rounding error of a constant float feature.
  const Tensor varies = deviation > 1e-6 * x.square().mean(0).sqrt();
  const Tensor scale = torch::where(varies, 1 / deviation, torch::zeros_like(deviation));  // [D]
  const Tensor standard = (x - mean) * scale;
  const auto [values, vectors] =
      torch::linalg_eigh(standard.t().matmul(standard) / x.size(0), "L");  // [D], [D, D]
  const Tensor kept = (values > values.max() * 1e-12).nonzero().flatten();
  // The curvature along a direction is its variance times p (1 - p), plus l2. A guess of the mean
  // of p (1 - p) is enough.
  constexpr double kSpread = 0.05;
  const Tensor squared = 1 / (values.index_select(0, kept) + l2 / kSpread);
  const Tensor turn =
      scale.unsqueeze(1) * vectors.index_select(1, kept) * squared.sqrt().unsqueeze(0);
  return {mean, turn, squared};
}

}  // namespace

Classifier fit_logistic(const Tensor& x, const Tensor& labels, int64_t classes,
                        const LogisticOptions& options) {
  const int64_t n = x.size(0);
  ADASSL_CHECK(labels.dim() == 1 && labels.size(0) == n, "[logistic] expected ", n, " labels, got ",
               labels.sizes());
  ADASSL_CHECK(n > 0 && labels.min().item<int64_t>() >= 0 && labels.max().item<int64_t>() < classes,
               "[logistic] expected labels from 0 to ", classes - 1);
  const Coordinates c = coordinates(x, options.l2);
  const int64_t rank = c.turn.size(1);
  const Tensor z = (x - c.mean).matmul(c.turn);  // [N, R]
  const Tensor truth = torch::zeros({n, classes}, x.options()).scatter_(1, labels.unsqueeze(1), 1);
  const Tensor penalty = options.l2 * c.squared.unsqueeze(1);  // [R, 1]

  const auto loss = [&](const Tensor& v) {  // [R + 1, C], the last row is the bias
    const Tensor weights = v.narrow(0, 0, rank);
    const Tensor log_p = (z.matmul(weights) + v[rank]).log_softmax(1);
    const Tensor error = (log_p.exp() - truth) / n;  // [N, C]
    const Tensor pull = penalty * weights;
    const Tensor value = -(log_p * truth).sum() / n + (pull * weights).sum() / 2;
    const Tensor bias = error.sum(0, /*keepdim=*/true);
    return optim::Slope{value.item<double>(), torch::cat({z.t().matmul(error) + pull, bias})};
  };
  const optim::Minimum minimum =
      optim::minimise(loss, torch::zeros({rank + 1, classes}, x.options()),
                      {.max_iterations = options.max_iterations, .tolerance = options.tolerance});
  const Tensor weights = c.turn.matmul(minimum.at.narrow(0, 0, rank));
  return {weights, minimum.at[rank] - c.mean.matmul(weights), minimum.iterations,
          minimum.converged};
}

}  // namespace adassl::evaluation
