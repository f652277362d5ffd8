#pragma once

#include <vector>

#include "adassl/core/batch.h"
#include "adassl/model/capabilities.h"

namespace adassl::evaluation {

/// The distinct rows among N rows, compared bit by bit and numbered in order of first occurrence.
struct DistinctRows {
  std::vector<int64_t> of_row;     // [N] the number of each row's distinct row
  std::vector<int64_t> first_row;  // [M] the first occurrence of each distinct row
  std::vector<int64_t> copies;     // [M] the number of rows equal to it
};
DistinctRows distinct_rows(const Array& x);

/// The futures with which queries are compared, embedded as targets. Each distinct future is
/// embedded once: a network may give equal rows different embeddings, depending on their position
/// in a block, but equal futures have to tie.
struct Gallery {
  DistinctRows distinct;
  Tensor embeddings;  // [M, d] unit rows, double precision
  /// The embeddings of rows first ... first + count - 1.
  Tensor rows(int64_t first, int64_t count) const;
};
Gallery gallery(model::Predicts& method, const Array& x_plus);

}  // namespace adassl::evaluation
