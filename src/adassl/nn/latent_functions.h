#pragma once

#include <utility>

#include "adassl/nn/torch.h"

/// The latent samplers of kernels/latents.h as operations of LibTorch's autograd graph. They are
/// differentiable once. All tensors must be float32 on the CPU.
namespace adassl::nn {

/// A Gaussian latent by reparametrisation, and its KL divergence from the prior:
///   r    = mean_q + s_q eps,  s = clamp(softplus(a) + 1e-6, e^-5, e^5)    [N, d]
///   cost = KL(N(mean_q, s_q^2) || N(mean_p, s_p^2)) for each element      [N, d]
/// Returns (r, cost). eps is standard normal noise and receives no gradient.
std::pair<Tensor, Tensor> gaussian_draw(const Tensor& posterior,  // [N, 2d] mean | a
                                        const Tensor& prior,      // [N, 2d] mean | a
                                        const Tensor& eps);       // [N, d]

/// A value times a hard random gate, with the straight-through gradient of a Gumbel-sigmoid:
///   soft = sigmoid(logit + log(u / (1 - u))),  gate = soft > 1/2 ? 1 : 0
struct GateDraw {
  Tensor r;      // [N, d] gate * value
  Tensor cost;   // [N, d] sigmoid(logit), which is the probability that the gate is 1
  Tensor gates;  // [N, d] 0 or 1; not differentiable
};
/// u is uniform noise in (0, 1) and receives no gradient.
GateDraw gate_draw(const Tensor& output,  // [N, 2d] logit | value
                   const Tensor& u);      // [N, d]

}  // namespace adassl::nn
