#pragma once

#include <vector>

#include "adassl/core/batch.h"
#include "adassl/evaluation/least_squares.h"

/// Which factors the evaluation `control` can say anything about, and which of them a group of
/// dimensions of r changes.
namespace adassl::evaluation {

/// A factor is readable if an affine map from embeddings explains more than this share of its
/// variance in samples on which the map was not fitted. Nearest neighbours in the space of
/// embeddings differ at random in factors that are not readable.
inline constexpr double kReadable = 0.1;

/// Which factors are readable: [F] booleans. A factor that never varies is not.
///   map from embeddings to targets, fitted on other samples; embeddings [N, d], targets [N, T]
Tensor readable_factors(const std::vector<Column>& columns, const AffineMap& map,
                        const Tensor& embeddings, const Tensor& targets);

/// The number of the readable factor in which a group changes retrieved samples most, relative to
/// the change with r at its expectation; -1 if it changes none of them significantly. Ratios rather
/// than differences are compared, because a factor that embeddings show coarsely changes in every
/// retrieval.
///   sampled, expected [Q, F]: how far the sample that is retrieved for each x is from x, with the
///   group sampled and with all of r at its expectation
int64_t factor_changed(const Tensor& sampled, const Tensor& expected, const Tensor& readable);

}  // namespace adassl::evaluation
