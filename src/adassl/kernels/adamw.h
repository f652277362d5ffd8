#pragma once

#include <span>

/// AdamW in one pass over memory: every value is read and written once instead of a dozen times.
namespace adassl::kernels {

/// The L2 norm. Blocks of a fixed size are summed in double precision, so the bits do not depend on
/// the number of threads.
double norm(std::span<const float> values);

/// The constants of a step, which are the same for all values.
struct AdamWStep {
  double gradient_scale = 1;  // for clipping: below 1 if the gradient's norm exceeds its limit
  double beta1 = 0.9;
  double beta2 = 0.999;
  double step_size = 0;   // lr / (1 - b1^t)
  double root_scale = 1;  // 1 / sqrt(1 - b2^t)
  double epsilon = 1e-8;  // added to the denominator
};

/// The parameters and their state. All spans have the same length.
struct AdamWBuffers {
  std::span<float> values;
  std::span<const float> gradients;  // not modified: clipping happens by gradient_scale
  std::span<float> first_moment;
  std::span<float> second_moment;
  std::span<const float> keep;  // 1 - lr * decay, or 1 for values without weight decay
};

///   g = gradient_scale * gradient;  m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2
///   p <- keep p - step_size m / (root_scale sqrt(v) + epsilon)
void adamw_step(const AdamWStep& step, const AdamWBuffers& buffers);

}  // namespace adassl::kernels
