#pragma once

#include <vector>

#include "adassl/core/batch.h"
#include "adassl/model/capabilities.h"

namespace adassl::evaluation {

/// Which rows are the same to the last bit. They are numbered in the order of their first rows.
struct DistinctRows {
  std::vector<int64_t> of_row;     // [N] the kind of each row
  std::vector<int64_t> first_row;  // [M] the first row of each kind
  std::vector<int64_t> copies;     // [M] how many rows are of that kind
};
DistinctRows distinct_rows(const Array& x);

/// What queries are compared with: futures, embedded as targets. Each kind is embedded once, since
/// a network need not give equal rows equal embeddings wherever they stand in a block, and equal
/// futures have to tie.
struct Gallery {
  DistinctRows distinct;
  Tensor embeddings;  // [M, d] unit rows, double precision
  /// The embeddings of rows first ... first + count - 1.
  Tensor rows(int64_t first, int64_t count) const;
};
Gallery gallery(model::Predicts& method, const Array& x_plus);

}  // namespace adassl::evaluation
