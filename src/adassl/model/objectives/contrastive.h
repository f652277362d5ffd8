#pragma once

#include "adassl/model/objective.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/contrastive_function.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/objectives.h"

namespace adassl::model {

/// -sum_k Lambda_ik (a_ik - b_jk)^2 / tau without an N x M x d tensor: the matrix product of the
/// widened features [2 L a, -L, -sum L a^2] / tau and [b, b^2, 1].
///   a [N, d], b [M, d], concentration [] or [d] or [N, d]  ->  [N, M]
Tensor distance_logits(const Tensor& a, const Tensor& b, const Tensor& concentration, double tau);

/// mean_i of -log( exp(logits_ii) / sum_j exp(logits_ij) ). The sum omits the columns j for which
/// `excluded` [N, M] is true; it may be undefined. The positives are on the diagonal, and M >= N.
Tensor softmax_cross_entropy(const Tensor& logits, const Tensor& excluded);

/// InfoNCE and its relatives: e_hat should be closer to its target than to the other candidates.
///   negatives = "targets": the other view's embeddings in the batch             (paper eq. 2)
///   negatives = "both":    those and the embeddings of the source's view, except the source itself
///   form = "distance":     logits = -(q - k)^T Lambda (q - k) / tau      (the paper's table)
///   form = "cosine":       logits = lambda q^T k / tau, clamped to +-clamp    (the image tables)
class Contrastive final : public Objective {
 public:
  using Options = parts::ContrastiveOptions;

  Contrastive(const Options& options, const ObjectiveContext& context);
  Tensor loss(const Direction& forward, const std::optional<Direction>& backward) override;
  Tensor predict(const Tensor& e_hat) override;
  Tensor psi(const Tensor& e) override;
  std::vector<std::pair<Metric, Tensor>> learned() const override;
  int64_t candidates(int64_t batch) const override;
  double bytes(int64_t batch, bool symmetric) const override;

 private:
  Tensor concentration_of(const Direction& direction);
  Tensor logits(const Tensor& q, const Tensor& k, const Tensor& concentration) const;
  Tensor one_direction(const Direction& direction);
  Tensor reference(const Direction& direction, const Tensor& q, const Tensor& concentration);
  std::string beyond_kernels() const;
  bool fits_kernels(const Tensor& q, const Tensor& concentration) const;
  bool mirror(const Direction& forward, const Direction& backward) const;
  nn::ContrastiveForm form() const;

  Options options_;
  nn::ComputePtr compute_;
  bool hypersphere_;
  int64_t embedding_;
  std::shared_ptr<Similarity> similarity_;
  std::shared_ptr<nn::Mlp> predictor_;
  kernels::ContrastiveWorkspace workspace_;
  Tensor concentration_;  // of the last loss, without its gradient
};

}  // namespace adassl::model
