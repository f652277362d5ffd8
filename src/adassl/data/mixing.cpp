#include "adassl/data/mixing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "adassl/core/error.h"
#include "adassl/kernels/columns.h"

namespace adassl::data {
namespace {

constexpr int64_t kWidest = kernels::SquareLayers::kWidest;

Matrix candidate(size_t width, random::Sequence draws) {
  Matrix w(width, width);
  for (double& value : w.values) value = 2 * draws.uniform() - 1;
  for (size_t j = 0; j < width; ++j) {
    double square = 0;
    for (size_t i = 0; i < width; ++i) square += w(i, j) * w(i, j);
    for (size_t i = 0; i < width; ++i) w(i, j) /= std::sqrt(square);
  }
  return w;
}

/// A cheap lower bound on the squared condition number, from the Gram matrix G of unit columns: the
/// largest eigenvalue is at least |G|_F^2 / trace, one over the smallest is at least the largest
/// diagonal entry of G^-1. With this bound the eigenvalues of most candidates need not be computed.
double squared_condition_bound(const Matrix& gram) {
  double frobenius = 0;
  for (const double value : gram.values) frobenius += value * value;
  Matrix inverted;
  try {
    inverted = inverse(gram);
  } catch (const Error&) {
    return std::numeric_limits<double>::infinity();
  }
  double largest = 0;
  for (size_t i = 0; i < gram.rows; ++i) largest = std::max(largest, inverted(i, i));
  return frobenius / static_cast<double>(gram.rows) * largest;
}

Matrix best_conditioned(size_t width, int64_t candidates, const random::Stream& stream) {
  Matrix best;
  double best_condition = std::numeric_limits<double>::infinity();
  for (int64_t k = 0; k < candidates; ++k) {
    Matrix w = candidate(width, stream.at(static_cast<uint32_t>(k)));
    const Matrix gram = multiply(transpose(w), w);
    if (squared_condition_bound(gram) >= best_condition * best_condition) continue;
    const double condition = condition_number(w);
    if (condition < best_condition) {
      best_condition = condition;
      best = std::move(w);
    }
  }
  ADASSL_CHECK(!best.values.empty(), "[mixing] no candidate was invertible");
  return best;
}

}  // namespace

Mixing::Mixing(int64_t width, const MixingOptions& options, const random::Stream& stream)
    : width_(width), activations_(options.activations), slope_(static_cast<float>(options.slope)) {
  ADASSL_CHECK(width >= 1 && width <= kWidest, "[mixing] expected a width from 1 to ", kWidest,
               ", got ", width);
  ADASSL_CHECK(options.activations == options.layers || options.activations == options.layers - 1,
               "[mixing] expected as many activations as layers (", options.layers,
               ") or one less, got ", options.activations);
  const auto n = static_cast<size_t>(width);
  for (int64_t layer = 0; layer < options.layers; ++layer) {
    weights_.push_back(
        best_conditioned(n, options.candidates, stream.named("layer " + std::to_string(layer))));
    for (const double w : weights_.back().values) layers_.push_back(static_cast<float>(w));
  }
}

void Mixing::apply(std::span<const float> z, std::span<float> x) const {
  kernels::apply({layers_, width_, activations_, slope_}, z, x);
}

}  // namespace adassl::data
