#pragma once

#include <cstddef>
#include <vector>

/// Dense matrices of a few rows in double precision: what the data sources need of linear algebra
/// without LibTorch.
namespace adassl {

struct Matrix {
  Matrix() = default;
  Matrix(size_t row_count, size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}

  double& operator()(size_t i, size_t j) { return values[i * columns + j]; }
  double operator()(size_t i, size_t j) const { return values[i * columns + j]; }

  size_t rows = 0;
  size_t columns = 0;
  std::vector<double> values;  // row after row
};

Matrix identity(size_t size);
Matrix transpose(const Matrix& a);
Matrix multiply(const Matrix& a, const Matrix& b);

/// Lower L with L L^T = a; `a` must be symmetric and positive definite (Error otherwise).
Matrix cholesky(const Matrix& a);
/// The inverse of a symmetric positive definite matrix.
Matrix inverse(const Matrix& a);
/// Ascending eigenvalues of a symmetric matrix (cyclic Jacobi).
std::vector<double> symmetric_eigenvalues(Matrix a);
/// Largest over smallest singular value.
double condition_number(const Matrix& a);

}  // namespace adassl
