#pragma once

#include <cstdint>
#include <optional>

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

/// Both directions of a square problem in one go: rows and columns of the same matrix
///   s_ij = q_i . k_j + row_bias_i + bias_j <= 0  (a distance, negated),
///   loss = mean_i ( log sum_j e^{s_ij} + log sum_j e^{s_ji} ) / 2 - s_ii.
/// Exponentials are taken of s itself, so that a row and a column can share them.
struct TwoWayProblem {
  int64_t rows = 0;   // N
  int64_t width = 0;  // of q and k
  const float* q = nullptr;
  const float* k = nullptr;         // [N, width]
  const float* row_bias = nullptr;  // [N]
  const float* bias = nullptr;      // [N]
};

/// All of them, or (q null) none.
struct TwoWayGradients {
  float* q = nullptr;
  float* k = nullptr;
  float* row_bias = nullptr;
  float* bias = nullptr;
};

struct TwoWayWorkspace {
  Buffer keys, bias, queries, panels, scaled, key_gradients, row_shares, column_shares, positive;
  BufferOf<double> row_others, column_others;
  int64_t bytes() const;
};

/// The loss; nothing, and no gradient, where some row or column has nothing near enough for sums of
/// e^s to be exact. Then each direction by itself is the way.
std::optional<double> two_way_cross_entropy(const TwoWayProblem& problem,
                                            const TwoWayGradients& gradients,
                                            TwoWayWorkspace& workspace);

}  // namespace adassl::kernels
