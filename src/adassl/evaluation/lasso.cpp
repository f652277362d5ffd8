#include "adassl/evaluation/lasso.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"

namespace adassl::evaluation {
namespace {

/// Below this, an alpha is a rounding error: y is constant, or x does not vary with it.
constexpr double kNothing = 1e-15;

/// Products of the columns of [x | y] summed over rows, about some centre.
struct Products {
  Tensor sums;  // [D + F, D + F]
  int64_t inputs = 0;
  double rows = 0;

  std::span<const double> row(int64_t i) const {
    const auto columns = static_cast<size_t>(sums.size(1));
    return {sums.data_ptr<double>() + static_cast<size_t>(i) * columns, columns};
  }
};

/// What the regression of one column of y needs, about the means: x' x, x' y and y' y.
struct Problem {
  const Products& products;
  int64_t target = 0;  // its column

  size_t inputs() const { return static_cast<size_t>(products.inputs); }
  std::span<const double> gram(size_t i) const {
    return products.row(static_cast<int64_t>(i)).first(inputs());
  }
  std::span<const double> with_y() const { return products.row(target).first(inputs()); }
  double square() const { return products.row(target)[static_cast<size_t>(target)]; }
};

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The weights of one fit and their products with x' x, which the next fit of a path continues.
struct Fit {
  std::vector<double> weights;
  std::vector<double> gram_weights;  // x' x w
  bool converged = true;

  explicit Fit(size_t inputs) : weights(inputs), gram_weights(inputs) {}
};

/// An upper bound of how much the objective times N exceeds its minimum.
double duality_gap(const Problem& problem, const Fit& fit, double penalty) {
  const auto xy = problem.with_y();
  const double explained = dot(fit.weights, xy);
  const double error =
      problem.square() + dot(fit.weights, fit.gram_weights) - 2 * explained;  // |y - x w|^2
  double steepest = 0, size = 0;
  for (size_t i = 0; i < xy.size(); ++i) {
    steepest = std::max(steepest, std::abs(xy[i] - fit.gram_weights[i]));
    size += std::abs(fit.weights[i]);
  }
  const double scale = steepest > penalty ? penalty / steepest : 1;
  const double both = steepest > penalty ? 0.5 * error * (1 + scale * scale) : error;
  return both + penalty * size - scale * problem.square() + scale * explained;
}

/// Moves the weights to the minimum of |y - x w|^2 / 2 + penalty |w|_1, one coordinate after
/// another.
void descend(const Problem& problem, double penalty, const LassoOptions& options, Fit& fit) {
  const auto xy = problem.with_y();
  const double tolerance = options.tolerance * problem.square();
  for (int64_t iteration = 1; iteration <= options.max_iterations; ++iteration) {
    double largest = 0, largest_step = 0;
    for (size_t i = 0; i < fit.weights.size(); ++i) {
      const auto gram = problem.gram(i);
      if (gram[i] == 0) continue;
      const double before = fit.weights[i];
      const double pull = xy[i] - fit.gram_weights[i] + before * gram[i];
      const double after = std::copysign(std::max(std::abs(pull) - penalty, 0.0), pull) / gram[i];
      const double step = after - before;
      fit.weights[i] = after;
      if (step != 0) {
        for (size_t j = 0; j < gram.size(); ++j) fit.gram_weights[j] += step * gram[j];
      }
      largest = std::max(largest, std::abs(after));
      largest_step = std::max(largest_step, std::abs(step));
    }
    // Small steps are no proof, but without them the gap need not be computed.
    const bool small = largest == 0 || largest_step / largest < options.tolerance;
    if (!small && iteration < options.max_iterations) continue;
    fit.converged = duality_gap(problem, fit, penalty) <= tolerance;
    if (fit.converged) return;
  }
}

/// As numpy.logspace makes it, but descending.
std::vector<double> grid_below(double largest, const LassoOptions& options) {
  if (largest <= kNothing)
    return std::vector<double>(static_cast<size_t>(options.alphas), kNothing);
  const double high = std::log10(largest), low = std::log10(largest * options.eps);
  std::vector<double> out;
  for (int64_t k = options.alphas - 1; k >= 0; --k) {
    const double share = static_cast<double>(k) / static_cast<double>(options.alphas - 1);
    out.push_back(std::pow(10, low + share * (high - low)));
  }
  return out;
}

/// One division of the rows: what a model is fitted to, and what it is scored on.
struct Fold {
  Products fit;    // about the means of its own rows
  Products score;  // about the means of `fit`
};

/// The squared error of these weights, with the intercept of the rows they were fitted to.
double mean_squared_error(const Problem& held_out, std::span<const double> weights) {
  double square = held_out.square() - 2 * dot(weights, held_out.with_y());
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) square += weights[i] * dot(weights, held_out.gram(i));
  }
  return square / held_out.products.rows;
}

LassoFit choose(const Products& all, const std::vector<Fold>& folds, int64_t target,
                const LassoOptions& options) {
  const Problem whole{all, target};
  double largest = 0;
  for (const double product : whole.with_y()) largest = std::max(largest, std::abs(product));
  const bool varies = largest / all.rows > kNothing;  // otherwise all weights stay zero
  LassoFit out;
  out.grid = grid_below(largest / all.rows, options);
  out.errors.resize(out.grid.size());
  for (const Fold& fold : folds) {
    const Problem problem{fold.fit, target};
    Fit path(problem.inputs());
    for (size_t k = 0; k < out.grid.size(); ++k) {
      if (varies) descend(problem, out.grid[k] * fold.fit.rows, options, path);
      out.converged = out.converged && path.converged;
      out.errors[k] += mean_squared_error({fold.score, target}, path.weights) /
                       static_cast<double>(folds.size());
    }
  }
  const auto best = std::ranges::min_element(out.errors) - out.errors.begin();
  out.alpha = out.grid[static_cast<size_t>(best)];
  out.error = out.errors[static_cast<size_t>(best)];
  Fit last(whole.inputs());
  if (varies) descend(whole, out.alpha * all.rows, options, last);
  out.converged = out.converged && last.converged;
  out.weights = torch::empty({all.inputs}, torch::kFloat64);
  std::ranges::copy(last.weights, out.weights.data_ptr<double>());
  return out;
}

/// The fits of data that are not finite. Coordinate descent would not end on them.
std::vector<LassoFit> no_fits(int64_t inputs, int64_t targets) {
  LassoFit none;
  none.weights = torch::full({inputs}, NAN, torch::kFloat64);
  none.intercept = none.alpha = none.error = NAN;
  none.converged = false;
  return std::vector<LassoFit>(static_cast<size_t>(targets), none);
}

}  // namespace

std::vector<LassoFit> lasso_cv(const Tensor& x, const Tensor& y, const LassoOptions& options) {
  const int64_t n = x.size(0), inputs = x.size(1), targets = y.size(1);
  ADASSL_CHECK(options.folds >= 2 && n >= 2 * options.folds && y.size(0) == n,
               "[lasso] expected at least two rows for each of ", options.folds, " folds, got ", n);
  ADASSL_CHECK(options.alphas >= 2, "[lasso] expected at least 2 alphas, got ", options.alphas);
  const Tensor given = torch::cat({x, y}, 1).to(torch::kFloat64);
  if (!given.isfinite().all().item<bool>()) return no_fits(inputs, targets);
  const Tensor mean = given.mean(0);
  const Tensor rows = given - mean;
  const Tensor all_sums = rows.sum(0);  // rounding errors
  const Tensor all_products = rows.t().matmul(rows);
  const auto about_mean = [&](const Tensor& products, const Tensor& sums, int64_t count) {
    return Products{(products - torch::outer(sums, sums) / count).contiguous(), inputs,
                    static_cast<double>(count)};
  };
  std::vector<Fold> folds;
  int64_t first = 0;
  for (int64_t k = 0; k < options.folds; ++k) {
    const int64_t count = n / options.folds + (k < n % options.folds ? 1 : 0);
    const Tensor part = rows.narrow(0, first, count);
    first += count;
    const Tensor products = part.t().matmul(part);
    const Tensor sums = all_sums - part.sum(0);
    const Tensor away = part - sums / (n - count);
    folds.push_back({about_mean(all_products - products, sums, n - count),
                     {away.t().matmul(away).contiguous(), inputs, static_cast<double>(count)}});
  }
  const Products all = about_mean(all_products, all_sums, n);
  std::vector<LassoFit> out(static_cast<size_t>(targets));
  kernels::parallel_for(targets, [&](int64_t f) {
    out[static_cast<size_t>(f)] = choose(all, folds, inputs + f, options);
  });
  for (int64_t f = 0; f < targets; ++f) {
    LassoFit& fit = out[static_cast<size_t>(f)];
    const Tensor centre = mean.narrow(0, 0, inputs);
    fit.intercept = (mean[inputs + f] - centre.dot(fit.weights)).item<double>();
  }
  return out;
}

}  // namespace adassl::evaluation
