#include "adassl/core/small_matrix.h"

#include <cmath>

#include <gtest/gtest.h>

#include "adassl/core/random.h"
#include "support/error_message.h"

namespace adassl {
namespace {

Matrix random_matrix(size_t rows, size_t columns, uint64_t seed) {
  Matrix out(rows, columns);
  random::Sequence draws = random::Stream(seed, "matrix").at(0);
  for (double& value : out.values) value = draws.normal();
  return out;
}

Matrix random_covariance(size_t size, uint64_t seed) {
  const Matrix a = random_matrix(size, 2 * size, seed);
  return multiply(a, transpose(a));
}

double distance(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (size_t i = 0; i < a.values.size(); ++i) sum += std::pow(a.values[i] - b.values[i], 2);
  return std::sqrt(sum);
}

TEST(SmallMatrix, CholeskyTimesItsTransposeIsTheMatrix) {
  const Matrix a = random_covariance(6, 1);
  const Matrix lower = cholesky(a);
  EXPECT_LT(distance(multiply(lower, transpose(lower)), a), 1e-10);
}

TEST(SmallMatrix, InverseTimesTheMatrixIsTheIdentity) {
  const Matrix a = random_covariance(7, 2);
  EXPECT_LT(distance(multiply(inverse(a), a), identity(7)), 1e-9);
}

TEST(SmallMatrix, CholeskyRefusesWhatIsNotPositiveDefinite) {
  Matrix a = identity(2);
  a(1, 1) = -1;
  EXPECT_EQ(testing::error_of([&] { cholesky(a); }),
            "[cholesky] the matrix is not positive definite");
}

TEST(SmallMatrix, EigenvaluesOfAKnownMatrix) {
  Matrix a(2, 2);
  a.values = {2, 1, 1, 2};
  const auto values = symmetric_eigenvalues(a);
  EXPECT_NEAR(values[0], 1, 1e-12);
  EXPECT_NEAR(values[1], 3, 1e-12);
}

TEST(SmallMatrix, EigenvaluesKeepTraceAndSquares) {
  const Matrix a = random_covariance(10, 3);
  double trace = 0;
  double squares = 0;
  for (size_t i = 0; i < 10; ++i) trace += a(i, i);
  for (const double value : a.values) squares += value * value;
  double sum = 0;
  double sum_of_squares = 0;
  for (const double value : symmetric_eigenvalues(a)) {
    sum += value;
    sum_of_squares += value * value;
  }
  EXPECT_NEAR(sum, trace, 1e-9 * trace);
  EXPECT_NEAR(sum_of_squares, squares, 1e-9 * squares);
}

TEST(SmallMatrix, ConditionNumberOfADiagonalIsItsRatio) {
  Matrix a = identity(3);
  a(0, 0) = 10;
  a(2, 2) = 0.5;
  EXPECT_NEAR(condition_number(a), 20, 1e-9);
  a(2, 2) = 0;
  EXPECT_TRUE(std::isinf(condition_number(a)));
}

}  // namespace
}  // namespace adassl
