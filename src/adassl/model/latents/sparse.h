#pragma once

#include "adassl/model/latent.h"
#include "adassl/nn/mlp.h"

namespace adassl::model {

/// A hard 0/1 gate whose gradient is that of the relaxed gate sigmoid(logit + logistic noise):
/// the Gumbel-sigmoid with a straight-through estimate. `u` is uniform in (0, 1).
Tensor straight_through_gate(const Tensor& logits, const Tensor& u);

/// AdaSSL-S: r = gate * value, both from (e, helper), paid for by the expected number of open
/// gates.                                                                           (paper eq. 10)
/// The editor applies tanh, after the gate. There is no prior: imagining means no change.
class Sparse final : public Latent {
 public:
  static constexpr std::string_view kName = "sparse";
  static constexpr std::string_view kSummary = "an r of which few entries are not zero (AdaSSL-S)";

  struct Options {
    int64_t dim = 5;
    double beta = 1;
    int64_t warmup_steps = 0;
    std::vector<int64_t> hidden = {64, 64};
    double slope = 0.01;
    void visit(Fields& field) {
      field("dim", dim, "size of r", {1, 4096});
      field("beta", beta, "weight of the expected number of open gates", {0, 1e3});
      field("warmup_steps", warmup_steps, "steps over which beta rises from 0", {0, 1e9});
      field("hidden", hidden, "hidden layers of the net that predicts r", {1, 65536});
      field("slope", slope, "negative slope of its LeakyReLU; 0 is ReLU", {0, 1});
    }
  };

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
  std::shared_ptr<nn::Mlp> m_;  // [e, helper] -> [logits, values]
};

}  // namespace adassl::model
