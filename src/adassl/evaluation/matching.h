#pragma once

#include "adassl/evaluation/evaluation.h"

namespace adassl::evaluation {

/// How often a prediction is nearer to its own target than to any other: mean over rows, by
/// Euclidean distance. Where k targets are equally near, one of them is guessed: 1/k. If all
/// embeddings coincide, this is 1/N, as for a guess.
///   predicted [N, d], targets [N, d]
double share_found(const Tensor& predicted, const Tensor& targets);

/// How well x+ is told from the x+ of the other pairs of the batch, and from what:
///   found_from_x   from x alone: r is imagined
///   found_with_r   from x and the r that was inferred from the pair, [B, d_r]
///   found_from_r   from that r, but with the x of another pair: x says nothing
/// Without an r only the first. Does nothing if the method does not predict.
void add_matching(model::Method& method, const Batch& batch, const Tensor& r,
                  const random::Stream& noise, Results& results);

}  // namespace adassl::evaluation
