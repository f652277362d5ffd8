#pragma once

#include <string>
#include <vector>

#include "adassl/model/capabilities.h"

/// Which dimensions of r change predictions in the same way. Only for methods that sample r.
namespace adassl::evaluation {

/// r ~ p(r | x) in these dimensions, and its expectation in all others: [B, d_r].
Tensor sample_some(model::Predicts& method, const Tensor& e, const std::vector<int64_t>& dims,
                   const random::Stream& noise);

/// Dimensions of r that belong together.
struct GroupOfR {
  std::vector<int64_t> dims;  // ascending, from 0
  double moves = 0;           // root mean square change of n(prediction) when they are sampled
  std::string name = {};      // of the factor that they change, or "r3 + r7" (from 1)
  int64_t factor = -1;        // its number; -1 if none is known
};

struct GroupOptions {
  int64_t draws = 4;   // of each dimension, for each x
  double alike = 0.5;  // groups that are less alike stay apart
  double idle = 0.1;   // dimensions that move less than this share of the largest are left out
  int64_t most = 64;   // of the dimensions that move most
};

/// Samples each dimension alone, the others at their expectation, which changes the direction of
/// the prediction by v. Dimensions i and j are alike as the cosine between E[v_i v_i^T] and
/// E[v_j v_j^T]; groups grow by average linkage and are named by their dimensions. The group that
/// moves most comes first; empty if no dimension moves anything.
///   e [Q, d], from encode(x)
std::vector<GroupOfR> groups_of_r(model::Predicts& method, const Tensor& e,
                                  const GroupOptions& options, const random::Stream& noise);

/// Names each group after the factor with the number factors[g]. Groups of one factor become one;
/// those with number -1 stay as they are. The group that moves most comes first.
std::vector<GroupOfR> joined_by_factor(const std::vector<GroupOfR>& groups,
                                       const std::vector<int64_t>& factors,
                                       const std::vector<std::string>& names);

}  // namespace adassl::evaluation
