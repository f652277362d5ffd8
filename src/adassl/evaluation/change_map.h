#pragma once

#include <memory>

#include "adassl/core/random.h"
#include "adassl/model/capabilities.h"
#include "adassl/nn/mlp.h"

namespace adassl::evaluation {

/// Pairs, encoded by a frozen method.
struct EncodedPairs {
  Tensor e;       // [N, d] from which x+ is predicted
  Tensor change;  // [N, K] the true change
  Tensor target;  // [N, d] the embedding of x+ that is to be predicted
};

struct ChangeMapOptions {
  int64_t hidden = 0;
  int64_t steps = 0;
  int64_t batch = 0;
  double learning_rate = 0;  // falls to 0 along a cosine
};

/// Maps a true change to an r of a method: an MLP of widths K - hidden - d_r with ReLU. Its input
/// is the change, scaled to unit variance.
class ChangeMap {
 public:
  /// Trains the map with the method frozen: Adam on mean |n(predict(e, map(change))) - n(target)|^2
  /// with n(v) = v / |v|. The method's parameters receive no gradients.
  ChangeMap(model::Predicts& method, const EncodedPairs& pairs, const ChangeMapOptions& options,
            const random::Stream& stream, const nn::Compute& compute = {});
  Tensor operator()(const Tensor& change) const;  // [N, K] -> [N, d_r]

 private:
  Tensor mean_, scale_;  // [K]
  std::shared_ptr<nn::Mlp> mlp_;
};

}  // namespace adassl::evaluation
