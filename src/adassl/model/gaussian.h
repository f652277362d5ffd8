#pragma once

#include "adassl/nn/torch.h"

namespace adassl::model {

/// A factorised Gaussian for each sample.
struct Gaussian {
  Tensor mean;          // [B, n]
  Tensor log_variance;  // [B, n]
};

/// mean + sigma * eps, for eps [B, n].
Tensor reparameterise(const Gaussian& q, const Tensor& eps);
/// KL(q || p) for each sample and dimension, [B, n].
Tensor kl_divergence(const Gaussian& q, const Gaussian& p);
/// KL(q || N(0, I)) for each sample and dimension, [B, n].
Tensor kl_from_standard(const Gaussian& q);

}  // namespace adassl::model
