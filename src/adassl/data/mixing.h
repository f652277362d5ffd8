#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/core/small_matrix.h"

namespace adassl::data {

/// The unknown mixing g of the numerical experiments: an invertible MLP without biases,
///   g(z) = phi(W_L ... phi(W_2 phi(W_1 z))),   phi = LeakyReLU,
/// all layers as wide as z. Each W_l is the best conditioned of many candidates with entries
/// U(-1, 1) and columns of norm 1. `activations` may be layers (the default: the paper's Identity
/// row is only met with as many nonlinearities as layers) or layers - 1 (none after the last).
struct MixingOptions {
  int64_t layers = 3;
  int64_t activations = 3;
  int64_t candidates = 25000;
  double slope = 0.2;
};

class Mixing {
 public:
  Mixing(int64_t width, const MixingOptions& options, const random::Stream& stream);

  /// Computes x = g(z) for all samples: z[j * samples + i] is latent j of sample i; x has the same
  /// layout.
  void apply(std::span<const float> z, std::span<float> x) const;

  const std::vector<Matrix>& weights() const { return weights_; }  // [out, in] each

 private:
  int64_t width_;
  int64_t activations_;
  float slope_;
  std::vector<Matrix> weights_;
  std::vector<float> layers_;  // the weights again, in the layout of the kernel
};

}  // namespace adassl::data
