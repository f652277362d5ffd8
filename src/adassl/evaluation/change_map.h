#pragma once

#include <memory>

#include "adassl/core/random.h"
#include "adassl/model/capabilities.h"
#include "adassl/nn/mlp.h"

namespace adassl::evaluation {

/// Pairs as a frozen method sees them.
struct EncodedPairs {
  Tensor e;       // [N, d] what predictions start from
  Tensor change;  // [N, K] the true change
  Tensor target;  // [N, d] what they should meet
};

struct ChangeMapOptions {
  int64_t hidden = 0;
  int64_t steps = 0;
  int64_t batch = 0;
  double learning_rate = 0;  // falls to 0 along a cosine
};

/// The r that a true change means to a method: K - hidden - d_r with ReLU, the change scaled to
/// unit variance first.
class ChangeMap {
 public:
  /// Learned with the method frozen: Adam on mean |n(predict(e, map(change))) - n(target)|^2, with
  /// n(v) = v / |v|. The method's parameters get no gradients.
  ChangeMap(model::Predicts& method, const EncodedPairs& pairs, const ChangeMapOptions& options,
            const random::Stream& stream);
  Tensor operator()(const Tensor& change) const;  // [N, K] -> [N, d_r]

 private:
  Tensor mean_, scale_;  // [K]
  std::shared_ptr<nn::Mlp> mlp_;
};

}  // namespace adassl::evaluation
