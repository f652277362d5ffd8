#pragma once

#include "adassl/kernels/contrastive.h"
#include "adassl/nn/torch.h"

namespace adassl::nn {

/// The formula of a contrastive loss, but for its tensors.
struct ContrastiveForm {
  bool hypersphere = true;  // embeddings are normalised first
  bool cosine = false;      // else: weighted distance
  double tau = 1;
  double clamp = 0;  // of the logits, with cosine only; 0: none
};

/// The loss of one direction as one operation with a gradient.
///   q, targets [N, d]; own [N, d] further candidates, or undefined;
///   concentration [], [d] or [N, d]                                           ->  []
/// All tensors are float32 on the CPU; `workspace` is free again when this returns.
Tensor contrastive_function(const Tensor& q, const Tensor& targets, const Tensor& own,
                            const Tensor& concentration, const ContrastiveForm& form,
                            kernels::ContrastiveWorkspace& workspace);

/// The mean of both directions, q to targets and targets to q, for distances whose weights all rows
/// share (concentration [] or [d]): one matrix serves both, where its numbers allow it.
Tensor two_way_contrastive_function(const Tensor& q, const Tensor& targets,
                                    const Tensor& concentration, const ContrastiveForm& form,
                                    kernels::ContrastiveWorkspace& workspace);

}  // namespace adassl::nn
