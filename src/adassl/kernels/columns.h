#pragma once

#include <cstdint>
#include <span>

/// Functions that data sources apply to many samples at once. The layout is feature-major: values[j
/// * rows + i] is feature j of sample i. The result of a sample depends on that sample alone.
/// Multiplications are never fused with additions, so every instruction set computes the same bits.
namespace adassl::kernels {

/// The network phi(W_L ... phi(W_1 z)), in which every layer is as wide as z. phi is a LeakyReLU
/// after the first `activations` layers and the identity after the others.
struct SquareLayers {
  std::span<const float> weights;  // [L, width, width], each as [out, in]
  int64_t width = 1;               // at most kWidest
  int64_t activations = 0;
  float slope = 1;

  static constexpr int64_t kWidest = 64;
};

/// Computes x = layers(z), both [width][rows]. x may be the same memory as z.
void apply(const SquareLayers& layers, std::span<const float> z, std::span<float> x);

/// v <- sqrt(softplus(v)) = sqrt(log(1 + exp(v))). A v below -80 is treated as -80.
void root_of_softplus(std::span<float> values);

/// v <- 1 / (1 + exp(-v)). A v outside [-80, 80] is treated as the nearer bound.
void sigmoid(std::span<float> values);

}  // namespace adassl::kernels
