#pragma once

#include "adassl/model/objective.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/objectives.h"

namespace adassl::model {

/// BYOL: a predictor eta maps e_hat to the embedding of the other view by the target network, a
/// moving average of the encoder. There are neither negatives nor a temperature.
///   L = mean |psi(eta(e_hat)) - psi(target)|^2,   2 - 2 cos on the hypersphere
/// Two directions are averaged, so that beta has the same meaning with one direction and with two.
class Distillation final : public Objective {
 public:
  using Options = parts::DistillationOptions;

  Distillation(const Options& options, const ObjectiveContext& context);
  Tensor loss(const Direction& forward, const std::optional<Direction>& backward) override;
  Tensor predict(const Tensor& e_hat) override;
  Tensor psi(const Tensor& e) override;
  bool distils() const override { return true; }
  double momentum(int64_t step, int64_t horizon) const override;
  int64_t candidates(int64_t) const override { return 0; }
  double bytes(int64_t batch, bool symmetric) const override;

 private:
  Tensor one_direction(const Direction& direction);

  Options options_;
  bool hypersphere_;
  std::shared_ptr<nn::Mlp> predictor_;  // eta: e_hat -> [B, d]
};

}  // namespace adassl::model
