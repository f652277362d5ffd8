#pragma once

#include "adassl/model/gaussian.h"
#include "adassl/model/latent.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/latents.h"

namespace adassl::model {

/// The Gaussian of a network's output [B, 2 d_r]. The first half is the mean. The second half a
/// gives sigma = softplus(a) + 1e-6; the logarithm of the variance is kept within [-10, 10].
Gaussian gaussian(const Tensor& output);

/// AdaSSL-V: r ~ q(r | e, helper), with the cost KL(q || p(r | e)).          (paper eq. 8, 9)
class Variational final : public Latent {
 public:
  using Options = parts::VariationalOptions;

  Variational(const Options& options, const LatentContext& context);
  Draw infer(const Evidence& evidence, const random::Stream& noise) override {
    return infer_all({evidence}, {noise})[0];
  }
  std::vector<Draw> infer_all(const std::vector<Evidence>& evidence,
                              const std::vector<random::Stream>& noise) override;
  Tensor imagine(const Tensor& e, const random::Stream& noise) override;
  bool samples() const override { return true; }
  Tensor expected(const Tensor& e) override { return gaussian(prior_->forward(e)).mean; }
  int64_t dim() const override { return options_.dim; }
  Cost cost() const override { return Cost::kNats; }
  bool needs_helper() const override { return true; }
  double beta(int64_t step) const override {
    return warmed_up(options_.beta, step, options_.warmup_steps);
  }

 private:
  Options options_;
  nn::ComputePtr compute_;
  std::shared_ptr<nn::Mlp> prior_;      // e -> [mean, a]
  std::shared_ptr<nn::Mlp> posterior_;  // [e, helper] -> [mean, a]
};

}  // namespace adassl::model
