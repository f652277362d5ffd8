#pragma once

#include <cstdint>
#include <span>

/// What a data source does with many samples at once. Samples lie side by side, feature after
/// feature: values[j * rows + i] is feature j of sample i, and sample i's result depends on sample
/// i alone. No multiplication is fused with an addition: the same bits on every instruction set.
namespace adassl::kernels {

/// phi(W_L ... phi(W_1 z)), all layers as wide as z; phi = LeakyReLU after the first `activations`.
struct SquareLayers {
  std::span<const float> weights;  // [L, width, width], each as [out, in]
  int64_t width = 1;               // at most kWidest
  int64_t activations = 0;
  float slope = 1;

  static constexpr int64_t kWidest = 64;
};

/// x = layers(z), both [width][rows]; they may be the same.
void apply(const SquareLayers& layers, std::span<const float> z, std::span<float> x);

/// v <- sqrt(softplus(v)) = sqrt(log(1 + exp(v))), with v no less than -80.
void root_of_softplus(std::span<float> values);

/// v <- 1 / (1 + exp(-v)), with |v| no more than 80.
void sigmoid(std::span<float> values);

}  // namespace adassl::kernels
