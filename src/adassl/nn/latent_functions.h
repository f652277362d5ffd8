#pragma once

#include <utility>

#include "adassl/nn/torch.h"

/// The kernels of kernels/latents.h as functions that LibTorch differentiates, once. For tensors
/// that nn::fused_covers.
namespace adassl::nn {

/// r and its cost: r ~ N(posterior) by way of eps, cost = KL(posterior || prior).
std::pair<Tensor, Tensor> gaussian_draw(const Tensor& posterior,  // [N, 2d] mean | a
                                        const Tensor& prior,      // [N, 2d] mean | a
                                        const Tensor& eps);       // [N, d]

struct GateDraw {
  Tensor r;      // [N, d] gate * value
  Tensor cost;   // [N, d] sigmoid(logit)
  Tensor gates;  // [N, d] 0 or 1, without gradient
};
GateDraw gate_draw(const Tensor& output,  // [N, 2d] logit | value
                   const Tensor& u);      // [N, d]

}  // namespace adassl::nn
