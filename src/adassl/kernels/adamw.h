#pragma once

#include <span>

/// AdamW in one pass: every value is read and written once instead of a dozen times.
namespace adassl::kernels {

/// The L2 norm, summed in double by blocks of a fixed size: the same bits for any number of
/// threads.
double norm(std::span<const float> values);

/// What all values of a step have in common.
struct AdamWStep {
  double gradient_scale = 1;  // clipping: below 1 when the gradient is too long
  double beta1 = 0.9;
  double beta2 = 0.999;
  double step_size = 0;   // lr / (1 - b1^t)
  double root_scale = 1;  // 1 / sqrt(1 - b2^t)
  double epsilon = 1e-8;  // added to the denominator
};

/// All of one length.
struct AdamWBuffers {
  std::span<float> values;
  std::span<const float> gradients;  // never written: who wants them clipped scales them
  std::span<float> first_moment;
  std::span<float> second_moment;
  std::span<const float> keep;  // 1 - lr * decay, 1 where nothing decays
};

///   g = gradient_scale * gradient;  m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2
///   p <- keep p - step_size m / (root_scale sqrt(v) + epsilon)
void adamw_step(const AdamWStep& step, const AdamWBuffers& buffers);

}  // namespace adassl::kernels
