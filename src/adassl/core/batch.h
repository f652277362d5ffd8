#pragma once

#include <cstdint>
#include <vector>

namespace adassl {

/// Plain numbers with a shape; the first dimension counts samples.
struct Array {
  std::vector<int64_t> shape;
  std::vector<float> values;

  int64_t rows() const { return shape.empty() ? 0 : shape[0]; }
  int64_t columns() const { return rows() == 0 ? 0 : static_cast<int64_t>(values.size()) / rows(); }
  bool empty() const { return values.empty(); }
};

inline Array make_array(std::vector<int64_t> shape) {
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  return {std::move(shape), std::vector<float>(count)};
}

/// Where data and models meet: B pairs. What a source does not know stays empty.
struct Batch {
  Array x;       // [B, ...]  an observation
  Array x_plus;  // [B, ...]  its pair x+
  Array helper;  // [B, ...]  x++: x+ once more, other style; r of x -> x+ is inferred from it
  Array mirror_helper;  // [B, ...]  x once more, other style; serves the direction x+ -> x
  Array change;         // [B, K]    the true change of the factors from x to x+
  Array factors;        // [B, F]    the true factors of x
  Array factors_plus;   // [B, F]    the true factors of x+
};

/// Single observations and what is known of them, for probes.
struct Samples {
  Array x;                           // [N, ...]
  Array factors;                     // [N, F]
  std::vector<int64_t> labels = {};  // [N] the class of each; empty where there are none
};

/// Observations that are not over: each with several ways in which it may go on.
struct Futures {
  Array x;             // [S, ...]
  Array x_plus;        // [S * n, ...]  the n futures of the first x, then those of the second, ...
  Array change;        // [S * n, K]
  Array factors_plus;  // [S * n, F]
};

}  // namespace adassl
