#include "adassl/core/small_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "adassl/core/error.h"

namespace adassl {

Matrix identity(size_t size) {
  Matrix out(size, size);
  for (size_t i = 0; i < size; ++i) out(i, i) = 1;
  return out;
}

Matrix transpose(const Matrix& a) {
  Matrix out(a.columns, a.rows);
  for (size_t i = 0; i < a.rows; ++i) {
    for (size_t j = 0; j < a.columns; ++j) out(j, i) = a(i, j);
  }
  return out;
}

Matrix multiply(const Matrix& a, const Matrix& b) {
  ADASSL_CHECK(a.columns == b.rows, "[multiply] expected ", a.columns, " rows, got ", b.rows);
  Matrix out(a.rows, b.columns);
  for (size_t i = 0; i < a.rows; ++i) {
    for (size_t k = 0; k < a.columns; ++k) {
      for (size_t j = 0; j < b.columns; ++j) out(i, j) += a(i, k) * b(k, j);
    }
  }
  return out;
}

Matrix cholesky(const Matrix& a) {
  Matrix lower(a.rows, a.rows);
  for (size_t i = 0; i < a.rows; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (size_t k = 0; k < j; ++k) sum -= lower(i, k) * lower(j, k);
      if (i == j) {
        ADASSL_CHECK(sum > 0, "[cholesky] the matrix is not positive definite");
        lower(i, i) = std::sqrt(sum);
      } else {
        lower(i, j) = sum / lower(j, j);
      }
    }
  }
  return lower;
}

Matrix inverse(const Matrix& a) {
  const Matrix lower = cholesky(a);
  const size_t n = a.rows;
  Matrix half(n, n);  // L^-1
  for (size_t j = 0; j < n; ++j) {
    half(j, j) = 1 / lower(j, j);
    for (size_t i = j + 1; i < n; ++i) {
      double sum = 0;
      for (size_t k = j; k < i; ++k) sum -= lower(i, k) * half(k, j);
      half(i, j) = sum / lower(i, i);
    }
  }
  return multiply(transpose(half), half);
}

std::vector<double> symmetric_eigenvalues(Matrix a) {
  const size_t n = a.rows;
  constexpr int kSweeps = 60;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double off = 0;
    double diagonal = 0;
    for (size_t i = 0; i < n; ++i) {
      diagonal += a(i, i) * a(i, i);
      for (size_t j = 0; j < i; ++j) off += a(i, j) * a(i, j);
    }
    if (off <= 1e-28 * diagonal) break;
    for (size_t p = 0; p + 1 < n; ++p) {
      for (size_t q = p + 1; q < n; ++q) {
        if (a(p, q) == 0) continue;
        const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(1.0, theta));
        const double c = 1 / std::hypot(1.0, t);
        const double s = t * c;
        for (size_t k = 0; k < n; ++k) {
          const double kp = a(k, p);
          const double kq = a(k, q);
          a(k, p) = c * kp - s * kq;
          a(k, q) = s * kp + c * kq;
        }
        for (size_t k = 0; k < n; ++k) {
          const double pk = a(p, k);
          const double qk = a(q, k);
          a(p, k) = c * pk - s * qk;
          a(q, k) = s * pk + c * qk;
        }
      }
    }
  }
  std::vector<double> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = a(i, i);
  std::sort(values.begin(), values.end());
  return values;
}

double condition_number(const Matrix& a) {
  const std::vector<double> squares = symmetric_eigenvalues(multiply(transpose(a), a));
  if (squares.front() <= 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(squares.back() / squares.front());
}

}  // namespace adassl
