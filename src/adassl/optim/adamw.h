#pragma once

#include "adassl/nn/compute.h"
#include "adassl/optim/flat_parameters.h"
#include "adassl/parts/run.h"

namespace adassl::optim {

/// AdamW (Loshchilov and Hutter, 2019) with clipping by the global norm:
///   g <- g min(1, clip / |g|);  m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2
///   p <- p (1 - lr decay) - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)
class AdamW {
 public:
  using Options = parts::AdamWOptions;

  AdamW(const Options& options, FlatParameters& parameters,
        nn::ComputePtr compute = nn::default_compute());

  /// The norm of the current gradients.
  double gradient_norm() const;
  /// Takes step 1, 2, ... with gradients that are clipped according to `gradient_norm`; the stored
  /// gradients are not modified. `rate_scale` scales the learning rate.
  void step(int64_t number, double gradient_norm, double rate_scale = 1);
  void zero_gradients() { parameters_.gradients.zero_(); }
  const Options& options() const { return options_; }

  Tensor first_moment;   // [P]
  Tensor second_moment;  // [P]

 private:
  void keep_for(double learning_rate);

  Options options_;
  FlatParameters& parameters_;
  nn::ComputePtr compute_;
  Tensor keep_;            // [P] 1 - lr * decay, or 1 for values without weight decay
  double keep_rate_ = -1;  // the lr for which keep_ was computed
};

/// The factor of the learning rate at step 1, 2, ... of a horizon of `steps`. It is 1 at the first
/// step after the warm-up and would be 0 at the step after the last.
double rate_scale(const AdamW::Options& options, int64_t step, int64_t steps);

}  // namespace adassl::optim
