#pragma once

#include <functional>
#include <vector>

#include "adassl/evaluation/evaluation.h"
#include "adassl/model/capabilities.h"

namespace adassl::evaluation {

/// r less what the method expects of it from x alone, [B, d_r]. The cost of r compares it with a
/// distribution given x, so r may carry anything about x for free. What it says of the change is
/// the rest. r itself if the method expects nothing.
Tensor beyond_x(model::Predicts* method, const Tensor& x, const Tensor& r);

/// r as a method infers it from pairs, beyond what it expects from x.
struct InferredR {
  Tensor r;     // [N, d_r] the mean over several draws of the noise
  Tensor cost;  // [N, d_r] what each dimension costs: nats, or the probability of an open gate
  model::Cost unit = model::Cost::kNone;
};

/// For each pair (x, x+), [N, ...] each, with x+ as its own helper. The method must be frozen and
/// have an r.
InferredR infer_r(model::InfersR& method, const Tensor& x, const Tensor& x_plus, int64_t draws,
                  const random::Stream& noise);

/// Where piece k of a draw of pairs and the method's noise on it come from.
struct PairStreams {
  std::function<random::Stream(uint64_t number)> pairs, noise;
};

/// Calls look(batch, r) for pairs and the r [B, d_r] that the method infers from them, in pieces
/// that are made ahead: `count` pairs, of a finite set at most once each. Concatenates the results
/// as in_pieces does. They must not share memory with the batch or with r.
std::vector<Tensor> look_at_inferred(
    const Subject& subject, int64_t count, const PairStreams& streams,
    const std::function<std::vector<Tensor>(const Batch& batch, const Tensor& r)>& look);

/// How different the changes r [N, d_r] of many pairs are from one change [d_r]: the Euclidean
/// distance, where each dimension is divided by its standard deviation over the N pairs. Dimensions
/// that do not vary count nothing. -> [N]
Tensor distance_of_changes(const Tensor& r, const Tensor& one);

}  // namespace adassl::evaluation
