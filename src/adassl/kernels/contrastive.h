#pragma once

#include "adassl/kernels/softmax.h"

namespace adassl::kernels {

/// The contrastive loss of one direction, computed from the raw embeddings of the encoder:
/// normalisation, weights of the similarity, softmax over the batch, and all gradients.
///   u = q / |q|, v = k / |k|     (u = q, v = k if embeddings are not on the hypersphere)
///   distance:  s_ij = -sum_f w_f (u_if - v_jf)^2,  w = concentration / tau
///   cosine:    s_ij =  sum_f w_f u_if v_jf,        clamped where clamp > 0
/// The weights w are one number, one number per dimension, or one per row and dimension. The
/// candidates k of a row are all targets and, with `own`, also the sources of all other rows.
struct ContrastiveProblem {
  enum class Weights { kOne, kDimensions, kRows };

  int64_t rows = 0;                      // N
  int64_t width = 0;                     // d
  const float* q = nullptr;              // [N, d]
  const float* targets = nullptr;        // [N, d]
  const float* own = nullptr;            // [N, d], or null
  const float* concentration = nullptr;  // [1], [d] or [N, d]
  Weights weights = Weights::kOne;
  bool hypersphere = true;
  bool cosine = false;
  float tau = 1;
  float clamp = 0;  // with cosine only; 0: logits are not clamped
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
  Buffer queries, keys;  // inputs of the softmax, later their gradients
  Buffer bias;           // bias of the columns, later its gradient
  Buffer row_bias;       // the same for rows, used by contrastive_two_way only
  Buffer q_norms, k_norms;
  BufferOf<double> exact_queries, exact_keys, exact_bias;  // for large logits
  int64_t bytes() const;
};

/// Returns the loss. If `gradients` is not null, all gradients are written, except `own` if the
/// problem has none.
double contrastive(const ContrastiveProblem& problem, const ContrastiveGradients* gradients,
                   ContrastiveWorkspace& workspace);

/// Returns the mean loss of both directions, q to targets and targets to q, from one matrix of
/// logits. This requires a distance whose weights all rows share, and no `own`. Otherwise, and
/// where the result would not be precise enough (see two_way_cross_entropy), it returns nothing and
/// the gradients are undefined. The caller then computes each direction separately.
std::optional<double> contrastive_two_way(const ContrastiveProblem& problem,
                                          const ContrastiveGradients* gradients,
                                          ContrastiveWorkspace& workspace);

}  // namespace adassl::kernels
