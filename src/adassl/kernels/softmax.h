#pragma once

#include <cstdint>

#include "adassl/kernels/blocks.h"

namespace adassl::kernels {

/// Row-wise softmax cross-entropy over
///   s_ij = q_i . k_j + bias_j,   loss = mean_i ( log sum_j e^{s_ij} - s_ii ),
/// of which the N x M matrix is never stored: some rows at a time pass through the cache.
///
/// Every contrastive similarity has this form. A distance -L_i |q_i - k_j|^2 with weights of the
/// row's own is q = [2 L q, -L] against k = [k, k^2] (what depends on the row alone cancels in a
/// softmax); with weights for all rows alike, k's part is a bias of the columns.
struct SoftmaxProblem {
  int64_t rows = 0;             // N
  int64_t columns = 0;          // M >= N; the positive of row i is column i
  int64_t width = 0;            // of q and k
  const float* q = nullptr;     // [N, width]
  const float* k = nullptr;     // [M, width]
  const float* bias = nullptr;  // [M], or none
  float clamp = 0;              // logits are clamped to +- this; 0: they are not
  int64_t excluded = -1;        // row i does not see column i + excluded; -1: it sees all

  /// q, k and bias in double precision, for large logits: a float32 of size 10^4 is off by 5e-4,
  /// and a softmax makes that a relative error. Then logits are taken from these; all three, or
  /// none.
  const double* exact_q = nullptr;
  const double* exact_k = nullptr;
  const double* exact_bias = nullptr;
};

/// Logits beyond this size want the exact operands.
constexpr double kLargeLogits = 1024;

/// Where gradients of the loss go; those that are null are not computed.
struct SoftmaxGradients {
  float* q = nullptr;     // [N, width]
  float* k = nullptr;     // [M, width]
  float* bias = nullptr;  // [M]
};

/// Memory that calls share, one after the other.
struct SoftmaxWorkspace {
  Buffer keys, bias, queries, panels, scaled, key_gradients, row_loss, rests;
  BufferOf<double> exact_keys;
  int64_t bytes() const;
};

/// The loss; the same bits for any number of threads.
double softmax_cross_entropy(const SoftmaxProblem& problem, const SoftmaxGradients& gradients,
                             SoftmaxWorkspace& workspace);

}  // namespace adassl::kernels
