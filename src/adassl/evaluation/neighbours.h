#pragma once

#include "adassl/nn/torch.h"

namespace adassl::evaluation {

/// For each query, the row of the gallery with the largest cosine similarity, the first one in case
/// of ties: [Q, d], [M, d] -> [Q]. Equal rows have exactly equal similarities. For small galleries.
Tensor nearest(const Tensor& queries, const Tensor& gallery);

/// k nearest neighbours by cosine similarity, one vote each: [Q, d], [N, d], [N] -> [Q] classes.
/// If classes have equal numbers of votes, the class with the larger sum of similarities wins, then
/// the one with the smaller number. Of equally similar rows, the first ones vote.
Tensor vote(const Tensor& queries, const Tensor& rows, const Tensor& labels, int64_t classes,
            int64_t k);

}  // namespace adassl::evaluation
