#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// Exact search for the nearest rows of a matrix.
namespace adassl::kernels {

struct Neighbour {
  int64_t row = 0;
  float similarity = 0;
};

/// A matrix [count, width] of float32, one row after the other.
struct RowsView {
  std::span<const float> values;
  int64_t width = 0;

  int64_t count() const { return width == 0 ? 0 : static_cast<int64_t>(values.size()) / width; }
};

/// For each query q the k rows v of largest inner product q . v, best first; of equal ones the
/// smaller number comes first. Fewer where there are fewer rows. A NaN is less than every number.
/// For unit rows this is the cosine similarity.
///   queries [Q, d], rows [N, d]  ->  [Q][min(k, N)]
std::vector<std::vector<Neighbour>> nearest_rows(const RowsView& queries, const RowsView& rows,
                                                 int64_t k);

}  // namespace adassl::kernels
