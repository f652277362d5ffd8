#pragma once

#include "adassl/kernels/softmax.h"

namespace adassl::kernels {

/// The contrastive loss of one direction, from embeddings as the encoder gave them: normalisation,
/// weights of the similarity, softmax over the batch, and all gradients.
///   u = q / |q|, v = k / |k|     (or q and k themselves where embeddings are unbounded)
///   distance:  s_ij = -sum_f w_f (u_if - v_jf)^2,  w = concentration / tau
///   cosine:    s_ij =  sum_f w_f u_if v_jf,        clamped where clamp > 0
/// where the weights w are one number, one for each dimension, or one for each row and dimension.
/// Candidates are the targets, and with `own` also the sources but for the row's own.
struct ContrastiveProblem {
  enum class Weights { kOne, kDimensions, kRows };

  int64_t rows = 0;                      // N
  int64_t width = 0;                     // d
  const float* q = nullptr;              // [N, d]
  const float* targets = nullptr;        // [N, d]
  const float* own = nullptr;            // [N, d], or none
  const float* concentration = nullptr;  // [1], [d] or [N, d]
  Weights weights = Weights::kOne;
  bool hypersphere = true;
  bool cosine = false;
  float tau = 1;
  float clamp = 0;  // with cosine only
};

struct ContrastiveGradients {
  float* q = nullptr;
  float* targets = nullptr;
  float* own = nullptr;
  float* concentration = nullptr;
};

struct ContrastiveWorkspace {
  SoftmaxWorkspace softmax;
  TwoWayWorkspace two_way;
  Buffer queries, keys;  // of the softmax; then their gradients
  Buffer bias;           // of its columns; then its gradient
  Buffer row_bias;       // the same of rows, where both directions are one
  Buffer q_norms, k_norms;
  BufferOf<double> exact_queries, exact_keys, exact_bias;  // the same three, for large logits
  int64_t bytes() const;
};

/// The loss. Gradients are computed when `gradients` is not null, all of them; `own` only where the
/// problem has it.
double contrastive(const ContrastiveProblem& problem, const ContrastiveGradients* gradients,
                   ContrastiveWorkspace& workspace);

/// The mean of both directions, q to targets and targets to q, where they share one matrix: a
/// distance with weights that all rows share, and no further candidates. Nothing, and no gradients,
/// where that is not exact enough (see two_way_cross_entropy): then each direction by itself.
std::optional<double> contrastive_two_way(const ContrastiveProblem& problem,
                                          const ContrastiveGradients* gradients,
                                          ContrastiveWorkspace& workspace);

}  // namespace adassl::kernels
