#include "adassl/evaluation/regression.h"

#include <gtest/gtest.h>

#include "adassl/evaluation/least_squares.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

Tensor draws(int64_t rows, int64_t columns, const char* name) {
  return nn::normal(rows, columns, {1, name}, torch::empty({0}, torch::kFloat64));
}

TEST(LeastSquares, FindsAnAffineMapExactly) {
  const Tensor x = draws(200, 4, "x");
  const Tensor w = draws(4, 2, "w");
  const Tensor y = x.matmul(w) + torch::tensor({3.0, -7.0}, torch::kFloat64);
  const AffineMap map = least_squares(x, y);
  EXPECT_TRUE(torch::allclose(map.weights, w, 1e-10, 1e-10));
  EXPECT_TRUE(torch::allclose(r_squared(map(x), y), torch::ones({2}, torch::kFloat64)));
}

TEST(LeastSquares, IgnoresDirectionsWithoutVariation) {
  const Tensor x = draws(100, 3, "x");
  const Tensor doubled = torch::cat({x, x, torch::ones({100, 1}, torch::kFloat64)}, 1);
  const Tensor y = x.sum(1, true);
  const AffineMap map = least_squares(doubled, y);
  EXPECT_TRUE(map.weights.isfinite().all().item<bool>());
  EXPECT_NEAR(r_squared(map(doubled), y).item<double>(), 1, 1e-9);
}

TEST(RSquared, IsZeroForTheMeanAndNegativeForWorse) {
  const Tensor y = draws(50, 1, "y");
  EXPECT_NEAR(r_squared(y.mean(0).expand_as(y), y).item<double>(), 0, 1e-12);
  EXPECT_NEAR(r_squared(y.mean(0) + (y.mean(0) - y), y).item<double>(), -3, 1e-12);
}

TEST(RSquared, OfAKnownSignalToNoise) {
  const Tensor x = draws(100000, 1, "x");
  const Tensor y = x + draws(100000, 1, "noise");  // half of the variance can be explained
  const AffineMap map = least_squares(x, y);
  EXPECT_NEAR(r_squared(map(x), y).item<double>(), 0.5, 0.01);
}

}  // namespace
}  // namespace adassl::evaluation
