#pragma once

#include "adassl/nn/layers.h"

/// bfloat16 where our kernels have it, in the midst of LibTorch's float64.
namespace adassl::nn {

inline Tensor to_bf16_and_back(const Tensor& x) {
  return x.to(torch::kFloat32).to(torch::kBFloat16).to(x.scalar_type());
}

/// Rounds to bfloat16: the numbers, where `forward` says so, and their gradient.
struct Round : torch::autograd::Function<Round> {
  static Tensor forward(torch::autograd::AutogradContext*, const Tensor& x, bool forward) {
    return forward ? to_bf16_and_back(x) : x.clone();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 const torch::autograd::variable_list& gradients) {
    return {to_bf16_and_back(gradients[0]), Tensor()};
  }
};

/// The rounded weight, whose gradient is the weight's.
inline Tensor rounded_weight(const Tensor& weight) {
  return weight + (to_bf16_and_back(weight) - weight).detach();
}

/// What a sum in another order may do to the gradients of some layers: now and then it moves a
/// number over the edge of a rounding, which is 2^-8 of it, or of a ReLU.
constexpr double kAcrossLayers = 6e-3;

/// How far apart, as a share of b.
inline double apart(const Tensor& a, const Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

}  // namespace adassl::nn
