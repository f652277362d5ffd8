#pragma once

#include "adassl/nn/torch.h"

namespace adassl::evaluation {

/// For each query, the row of the gallery with the largest cosine similarity, the first one in case
/// of ties: [Q, d], [M, d] -> [Q]. Equal rows have exactly equal similarities. For small galleries.
Tensor nearest(const Tensor& queries, const Tensor& gallery);

/// The nearest rows of each query, the nearest first.
struct Neighbours {
  Tensor rows;        // [Q, k] their numbers
  Tensor similarity;  // [Q, k] their cosine similarities
};

/// The k nearest rows by cosine similarity, all of them if there are fewer: [Q, d], [N, d]. Of
/// equally similar rows, the first ones come first.
Neighbours find_neighbours(const Tensor& queries, const Tensor& rows, int64_t k);

/// One vote of each neighbour for its label: [N] labels -> [Q] classes. If classes have equal
/// numbers of votes, the class with the larger sum of similarities wins, then the one with the
/// smaller number.
Tensor vote(const Neighbours& neighbours, const Tensor& labels, int64_t classes);

}  // namespace adassl::evaluation
