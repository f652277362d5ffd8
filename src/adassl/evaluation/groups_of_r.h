#pragma once

#include <string>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/evaluation/least_squares.h"
#include "adassl/model/capabilities.h"

/// Which dimensions of r change predictions in the same way, and which factor they change. Only for
/// methods that sample r.
namespace adassl::evaluation {

/// r ~ p(r | x) in these dimensions, and its expectation in all others: [B, d_r].
Tensor sample_some(model::Predicts& method, const Tensor& e, const std::vector<int64_t>& dims,
                   const random::Stream& noise);

/// Dimensions of r that belong together.
struct GroupOfR {
  std::vector<int64_t> dims;  // ascending, from 0
  double moves = 0;           // root mean square change of n(prediction) when they are sampled
  std::string name = {};      // the factor that they change most, or "r3 + r7" (from 1)
  int64_t factor = -1;        // its number; -1 if no factors are known
};

/// How factors are read from embeddings, for giving names to groups.
struct FactorReadout {
  AffineMap map;                   // from target(x), normalised, to the targets of a regression
  Tensor variances;                // [F] of the factors
  std::vector<Column> columns;     // of the data
  std::vector<std::string> names;  // of the factors
};

struct GroupOptions {
  int64_t draws = 4;   // of each dimension, for each x
  double alike = 0.5;  // groups that are less alike stay apart
  double idle = 0.1;   // dimensions that move less than this share of the largest are left out
  int64_t most = 64;   // of the dimensions that move most
};

/// Samples each dimension alone, the others at their expectation, which changes the direction of
/// the prediction by v. Dimensions i and j are alike as the cosine between E[v_i v_i^T] and
/// E[v_j v_j^T]; groups grow by average linkage. With a readout, groups that change the same factor
/// most become one. The group that moves most comes first; empty if no dimension moves anything.
///   e [Q, d], from encode(x)
std::vector<GroupOfR> groups_of_r(model::Predicts& method, const Tensor& e,
                                  const GroupOptions& options, const random::Stream& noise,
                                  const FactorReadout* readout = nullptr);

}  // namespace adassl::evaluation
