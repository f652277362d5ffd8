#pragma once

#include <cstdint>
#include <optional>

#include "adassl/kernels/blocks.h"

namespace adassl::kernels {

/// Row-wise softmax cross-entropy over
///   s_ij = q_i . k_j + bias_j,   loss = mean_i ( log sum_j e^{s_ij} - s_ii ),
/// The N x M matrix is never stored as a whole: bands of rows that fit into the cache are processed
/// one after the other.
///
/// Every contrastive similarity has this form. A distance -L_i |q_i - k_j|^2 whose weights L_i
/// differ between rows is the product of [2 L q, -L] and [k, k^2]; the term that depends on the row
/// alone cancels in the softmax. If all rows share their weights, the term in k^2 is a bias of the
/// columns instead.
struct SoftmaxProblem {
  int64_t rows = 0;             // N
  int64_t columns = 0;          // M >= N; the positive of row i is column i
  int64_t width = 0;            // of q and k
  const float* q = nullptr;     // [N, width]
  const float* k = nullptr;     // [M, width]
  const float* bias = nullptr;  // [M], or null
  float clamp = 0;              // logits are clamped to [-clamp, clamp]; 0: they are not clamped
  int64_t excluded = -1;        // the softmax of row i omits column i + excluded; -1: none

  /// q, k and bias in double precision, for large logits: the rounding error of a float32 near 10^4
  /// is 5e-4, and a softmax turns this into a relative error. If they are given, the logits are
  /// computed from them. exact_q and exact_k belong together; exact_bias is null if there is no
  /// bias.
  const double* exact_q = nullptr;
  const double* exact_k = nullptr;
  const double* exact_bias = nullptr;
};

/// If logits may be larger than this, the operands should be given in double precision, too.
constexpr double kLargeLogits = 1024;

/// Outputs for the gradients of the loss. A gradient whose pointer is null is not computed.
struct SoftmaxGradients {
  float* q = nullptr;     // [N, width]
  float* k = nullptr;     // [M, width]
  float* bias = nullptr;  // [M]
};

/// Memory that successive calls reuse.
struct SoftmaxWorkspace {
  Buffer keys, bias, queries, panels, scaled, key_gradients, row_loss, rests;
  BufferOf<double> exact_keys;
  int64_t bytes() const;
};

/// Returns the loss and writes the gradients. The bits do not depend on the number of threads.
double softmax_cross_entropy(const SoftmaxProblem& problem, const SoftmaxGradients& gradients,
                             SoftmaxWorkspace& workspace);

/// Both directions of a square problem at once: softmaxes over the rows and over the columns of
///   s_ij = q_i . k_j + row_bias_i + bias_j <= 0  (a distance, negated),
///   loss = mean_i ( log sum_j e^{s_ij} + log sum_j e^{s_ji} ) / 2 - s_ii.
/// The maximum is not subtracted before exponentiation, so that rows and columns can share the
/// exponentials.
struct TwoWayProblem {
  int64_t rows = 0;   // N
  int64_t width = 0;  // of q and k
  const float* q = nullptr;
  const float* k = nullptr;         // [N, width]
  const float* row_bias = nullptr;  // [N]
  const float* bias = nullptr;      // [N]
};

/// Outputs for the gradients: either all are given, or q is null and none is computed.
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

/// Returns the loss and writes the gradients. If all logits of some row or column are so small that
/// the sum of e^s would lose precision, returns nothing and writes nothing. The caller then
/// computes each direction separately.
std::optional<double> two_way_cross_entropy(const TwoWayProblem& problem,
                                            const TwoWayGradients& gradients,
                                            TwoWayWorkspace& workspace);

}  // namespace adassl::kernels
