#pragma once

#include "adassl/core/options.h"
#include "adassl/optim/flat_parameters.h"

namespace adassl::optim {

/// AdamW (Loshchilov and Hutter, 2019) with clipping by the global norm:
///   g <- g min(1, clip / |g|);  m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2
///   p <- p (1 - lr decay) - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)
class AdamW {
 public:
  struct Options {
    double learning_rate = 5e-4;
    double weight_decay = 1e-4;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double clip = 1;
    std::string schedule = "constant";
    int64_t warmup_steps = 0;
    void visit(Fields& field) {
      field("learning_rate", learning_rate, "step size", {0, 1e30});
      field("weight_decay", weight_decay, "decoupled decay; biases and norms are spared", {0, 1e3});
      field("beta1", beta1, "decay of the first moment", {0, 0.999999});
      field("beta2", beta2, "decay of the second moment", {0, 0.999999999});
      field("epsilon", epsilon, "added to the denominator", {0, 1});
      field("clip", clip, "largest norm of the whole gradient; 0: no clipping", {0, 1e30});
      field("schedule", schedule,
            "whether the step size stays, or falls to 0 by half a cosine over train.horizon",
            {"constant", "cosine"});
      field("warmup_steps", warmup_steps, "steps over which the step size rises first", {0, 1e9});
    }
  };

  AdamW(const Options& options, FlatParameters& parameters);

  /// The norm of the gradients that are there.
  double gradient_norm() const;
  /// Takes step 1, 2, ... with the gradients clipped by that norm; they themselves stay as they
  /// are. `rate_scale` scales the learning rate.
  void step(int64_t number, double gradient_norm, double rate_scale = 1);
  void zero_gradients() { parameters_.gradients.zero_(); }
  const Options& options() const { return options_; }

  Tensor first_moment;   // [P]
  Tensor second_moment;  // [P]

 private:
  void keep_for(double learning_rate);

  Options options_;
  FlatParameters& parameters_;
  Tensor keep_;            // [P] 1 - lr * decay, 1 where nothing decays
  double keep_rate_ = -1;  // the lr that keep_ was made for
};

/// The share of the learning rate at step 1, 2, ... of a horizon of `steps`: the first step after
/// the warm-up is a whole one, the one after the last would be 0.
double rate_scale(const AdamW::Options& options, int64_t step, int64_t steps);

}  // namespace adassl::optim
