#pragma once

#include "adassl/model/latent.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/latents.h"

namespace adassl::model {

/// The coefficients of LieSSL's generators, t = h([e; helper]), with the cost t_k^2 for each, so
/// that the regulariser is mean |t|^2. The editor `lie` applies them. There is no prior: the
/// imagined t is 0 and means no change.                       (Ibrahim et al., 2022; see
/// model/editors/lie.h)
class LieLatent final : public Latent {
 public:
  using Options = parts::LieLatentOptions;

  LieLatent(const Options& options, const LatentContext& context)
      : options_(options),
        h_(register_module("h", std::make_shared<nn::Mlp>(
                                    nn::MlpShape{
                                        .in = 2 * context.embedding,
                                        .hidden = options.hidden,
                                        .out = options.dim,
                                        .norm = true,
                                        .slope = options.slope,
                                    },
                                    context.compute))) {}
  Draw infer(const Evidence& evidence, const random::Stream& noise) override {
    return infer_all({evidence}, {noise})[0];
  }
  std::vector<Draw> infer_all(const std::vector<Evidence>& evidence,
                              const std::vector<random::Stream>&) override {
    std::vector<Tensor> pairs;
    for (const Evidence& one : evidence) pairs.push_back(torch::cat({one.e, one.helper}, 1));
    std::vector<Draw> out;
    for (const Tensor& t : h_->forward(pairs)) out.push_back({t, t.square(), {}});
    return out;
  }
  Tensor imagine(const Tensor& e, const random::Stream&) override {
    return torch::zeros({e.size(0), options_.dim}, e.options());
  }
  int64_t dim() const override { return options_.dim; }
  bool needs_helper() const override { return true; }
  double beta(int64_t) const override { return options_.beta; }

 private:
  Options options_;
  std::shared_ptr<nn::Mlp> h_;
};

}  // namespace adassl::model
