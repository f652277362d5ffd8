#pragma once

#include "adassl/evaluation/evaluation.h"

namespace adassl::evaluation {

/// How often a prediction is nearer to its own target than to any other: mean over rows, by
/// Euclidean distance. Where k targets are equally near, one of them is guessed: 1/k. If all
/// embeddings coincide, this is 1/N, as for a guess.
///   predicted [N, d], targets [N, d]
double share_found(const Tensor& predicted, const Tensor& targets);

/// How often a prediction is nearer to its own target than to another one: mean over all pairs of a
/// row and another row's target. Targets that are equally near count half, so that this is 1/2 for
/// a guess. It still tells something where many targets suit a row, as in pairs of one class.
///   predicted [N, d], targets [N, d], N > 1
double share_nearer(const Tensor& predicted, const Tensor& targets);

/// How well x+ is told from the x+ of the other pairs of the batch, and from what:
///   found_from_x   from x alone: r is imagined
///   found_with_r   from x and the r that was inferred from the pair, [B, d_r]
///   found_from_r   from that r, but with the x of another pair: x says nothing
///   nearer_from_x  the share_nearer of what is predicted from x alone
/// Without an r only the first and the last. Does nothing if the method does not predict.
void add_matching(model::Method& method, const Batch& batch, const Tensor& r,
                  const random::Stream& noise, Results& results);

}  // namespace adassl::evaluation
