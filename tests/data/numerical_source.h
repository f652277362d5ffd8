#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "adassl/data/numerical.h"

/// Small numerical sources, and the way back from x to the latents.
namespace adassl::data {

inline constexpr size_t kContent = 5;
inline constexpr size_t kWidth = 10;

inline Numerical source(const std::string& conditional, uint64_t seed = 1, int64_t candidates = 20,
                        int64_t activations = 3) {
  Numerical::Options options;
  options.conditional = conditional;
  options.mixing.candidates = candidates;
  options.mixing.activations = activations;
  return {options, seed};
}

/// Solves a x = b by Gauss-Jordan with pivoting.
inline std::vector<double> solve(Matrix a, std::vector<double> b) {
  const size_t n = a.rows;
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t i = k; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    for (size_t j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    std::swap(b[k], b[pivot]);
    for (size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a(i, k) / a(k, k);
      for (size_t j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (size_t k = 0; k < n; ++k) b[k] /= a(k, k);
  return b;
}

/// z from x: the mixing undone, layer by layer.
inline std::vector<double> unmix(const Mixing& g, const float* x) {
  std::vector<double> z(x, x + kWidth);
  for (size_t layer = g.weights().size(); layer-- > 0;) {
    for (double& value : z) value = value > 0 ? value : value / 0.2;
    z = solve(g.weights()[layer], z);
  }
  return z;
}

}  // namespace adassl::data
