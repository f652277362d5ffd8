#pragma once

#include "adassl/nn/torch.h"

namespace adassl::evaluation {

/// For each query the gallery's row of largest cosine similarity, the first of equals:
/// [Q, d], [M, d] -> [Q]. Equal rows are equally similar to the last bit. For small galleries.
Tensor nearest(const Tensor& queries, const Tensor& gallery);

/// k nearest neighbours by cosine similarity, one vote each: [Q, d], [N, d], [N] -> [Q] classes.
/// Where classes have as many votes, the one whose voters are more similar in sum wins, then the
/// smaller number; of equally similar rows the first ones vote.
Tensor vote(const Tensor& queries, const Tensor& rows, const Tensor& labels, int64_t classes,
            int64_t k);

}  // namespace adassl::evaluation
