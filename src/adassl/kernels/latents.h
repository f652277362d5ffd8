#pragma once

#include <cstdint>

/// Sampling of the latents, forward and backward, each in one pass over N x d elements. A network
/// outputs two numbers for each element, in the two halves of a row: [N, 2d]. The backward pass
/// recomputes the intermediate values of the forward pass, which is cheaper than storing them.
namespace adassl::kernels {

/// A Gaussian r and its KL divergence from a prior. The posterior and the prior network each output
/// (mean, a) for each element:
///
///   sigma = softplus(a) + 1e-6,  s = clamp(sigma, e^-5, e^5)
///   r     = mean_q + s_q eps
///   cost  = KL(q || p) = (rho^2 + z^2 - 1) / 2 - log rho,   rho = s_q / s_p,
///                                                           z   = (mean_q - mean_p) / s_p
///
/// This equals the usual form with log variances l = 2 log sigma clamped to [-10, 10], because
/// exp(l / 2) = s. It needs one logarithm instead of two exponentials and two logarithms. The
/// gradients are
///
///   dKL/dmean_q = z / s_p = -dKL/dmean_p
///   dKL/ds_q    = rho / s_p - 1 / s_q = (rho^2 - 1) / s_q
///   dKL/ds_p    = 1 / s_p - (rho^2 + z^2) / s_p
///   dr/dmean_q  = 1,  dr/ds_q = eps
///   ds/da       = sigmoid(a), and 0 where the clamp is active
///
/// As in LibTorch, softplus is the identity above 20. NaN inputs give NaN outputs.
struct GaussianInputs {
  int64_t rows = 0;                  // N
  int64_t dim = 0;                   // d
  const float* posterior = nullptr;  // [N, 2d] mean_q | a_q
  const float* prior = nullptr;      // [N, 2d] mean_p | a_p
  const float* eps = nullptr;        // [N, d]
};
void gaussian_draw(const GaussianInputs& in, float* r, float* cost);
void gaussian_draw_backward(const GaussianInputs& in, const float* dr, const float* dcost,
                            float* dposterior, float* dprior);

/// A value times a hard gate whose gradient is that of a soft gate (Gumbel-sigmoid with a
/// straight-through estimator). For each element, with (logit, value) from the network and u
/// uniform, clamped to [1e-6, 1 - 1e-6]:
///
///   soft = sigmoid(logit + log(u / (1 - u))) = 1 / (1 + exp(-logit) (1 - u) / u)
///   gate = soft > 1/2 ? 1 : 0,  r = gate value,  cost = sigmoid(logit)
///
///   dvalue = dr gate
///   dlogit = dr value soft (1 - soft) + dcost cost (1 - cost)
///
/// If the logit is NaN, then gate, r and cost are NaN.
struct GateInputs {
  int64_t rows = 0;               // N
  int64_t dim = 0;                // d
  const float* output = nullptr;  // [N, 2d] logit | value
  const float* u = nullptr;       // [N, d]
};
void gate_draw(const GateInputs& in, float* r, float* cost, float* gates);
void gate_draw_backward(const GateInputs& in, const float* dr, const float* dcost, float* doutput);

}  // namespace adassl::kernels
