#pragma once

#include "adassl/model/objectives/contrastive.h"

namespace adassl::model {

/// mean_b max(|e_hat - target|^2 - |e - target|^2, 0), the rows normalised if the embeddings are:
/// the transported embedding should be nearer to its target than the one it started from.
Tensor detour(const Tensor& e, const Tensor& e_hat, const Tensor& target);

/// LieSSL's loss, without the cost of its coefficients:
///   InfoNCE(e, target) + transported * InfoNCE(e_hat, target) + detour * mean max(..., 0)
/// All three look at the embeddings in the form that the contrastive objective compares.
/// (Ibrahim, Bouchacourt and Morcos, 2022; re-implemented from a description)
class LieObjective final : public Objective {
 public:
  using Options = parts::LieObjectiveOptions;

  LieObjective(const Options& options, const ObjectiveContext& context);
  Tensor loss(const Direction& forward, const std::optional<Direction>& backward) override;
  Tensor predict(const Tensor& e_hat) override { return contrastive_->predict(e_hat); }
  Tensor psi(const Tensor& e) override { return contrastive_->psi(e); }
  /// Besides the weights of the similarity, the three terms.
  std::vector<std::pair<Metric, Tensor>> learned() const override;
  int64_t candidates(int64_t batch) const override { return contrastive_->candidates(batch); }
  double bytes(int64_t batch, bool symmetric) const override {
    return 2 * contrastive_->bytes(batch, symmetric);
  }

 private:
  Tensor detour_of(const Direction& direction);

  Options options_;
  std::shared_ptr<Contrastive> contrastive_;
  Tensor plain_, transported_, detour_;  // of the last loss, without gradients
};

}  // namespace adassl::model
