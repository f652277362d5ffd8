#pragma once

#include "adassl/kernels/contrastive.h"
#include "adassl/nn/torch.h"

/// The contrastive loss of kernels/contrastive.h as an operation of LibTorch's autograd graph:
///
///   loss = mean_i ( log sum_j e^{s_ij} - s_ii )
///   distance:  s_ij = -sum_f w_f (u_if - v_jf)^2,  cosine:  s_ij = sum_f w_f u_if v_jf,
///
/// where u and v are the queries and the candidates, and w = concentration / tau.
namespace adassl::nn {

/// The options that select the formula of a contrastive loss.
struct ContrastiveForm {
  bool hypersphere = true;  // embeddings are first normalised to length 1
  bool cosine = false;      // true: cosine similarity; false: weighted squared distance
  double tau = 1;           // temperature
  double clamp = 0;         // limits logits to [-clamp, clamp]; with `cosine` only; 0: no limit
};

/// The loss of one direction: every query selects its target among all candidates.
///   q              [N, d]  queries
///   targets        [N, d]  candidates; row i is the positive of query i
///   own            [N, d]  further candidates, of which query i omits row i; or undefined
///   concentration  [], [d] or [N, d]
///   result         []
/// All tensors must be float32 on the CPU. The gradients are computed together with the loss, so
/// `workspace` can be reused as soon as this function returns.
Tensor contrastive_function(const Tensor& q, const Tensor& targets, const Tensor& own,
                            const Tensor& concentration, const ContrastiveForm& form,
                            kernels::ContrastiveWorkspace& workspace);

/// The mean of the losses of both directions, q to targets and targets to q. The concentration is
/// [] or [d]: all rows share their weights, so that both directions can use the same matrix of
/// logits. If that matrix would not be precise enough, each direction is computed separately.
Tensor two_way_contrastive_function(const Tensor& q, const Tensor& targets,
                                    const Tensor& concentration, const ContrastiveForm& form,
                                    kernels::ContrastiveWorkspace& workspace);

}  // namespace adassl::nn
