#pragma once

#include "adassl/model/latent.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/latents.h"

namespace adassl::model {

/// A hard 0/1 gate whose gradient is that of the relaxed gate sigmoid(logit + logistic noise):
/// the Gumbel-sigmoid with a straight-through estimate. `u` is uniform in (0, 1).
Tensor straight_through_gate(const Tensor& logits, const Tensor& u);

/// AdaSSL-S: r = gate * value, both from (e, helper). Its cost is the expected number of open
/// gates.                                                                           (paper eq. 10)
/// The editor applies tanh after the gate. There is no prior: the imagined r means no change.
class Sparse final : public Latent {
 public:
  using Options = parts::SparseOptions;

  Sparse(const Options& options, const LatentContext& context);
  Draw infer(const Evidence& evidence, const random::Stream& noise) override {
    return infer_all({evidence}, {noise})[0];
  }
  std::vector<Draw> infer_all(const std::vector<Evidence>& evidence,
                              const std::vector<random::Stream>& noise) override;
  Tensor imagine(const Tensor& e, const random::Stream&) override {
    return torch::zeros({e.size(0), options_.dim}, e.options());
  }
  int64_t dim() const override { return options_.dim; }
  Cost cost() const override { return Cost::kGates; }
  bool needs_helper() const override { return true; }
  double beta(int64_t step) const override {
    return warmed_up(options_.beta, step, options_.warmup_steps);
  }

 private:
  Options options_;
  nn::ComputePtr compute_;
  std::shared_ptr<nn::Mlp> m_;  // [e, helper] -> [logits, values]
};

}  // namespace adassl::model
