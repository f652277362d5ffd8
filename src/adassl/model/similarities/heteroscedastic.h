#pragma once

#include "adassl/model/similarities/softplus.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/similarities.h"

namespace adassl::model {

/// Lambda_x = softplus(W e + b + log(exp(1) - 1)): the weights depend on the anchor and start near
/// 1, like the other learned weights. The constant is equivalent to another initial value of b.
///                                                                               H-InfoNCE, affine
class HeteroscedasticAffine final : public Similarity {
 public:
  using Options = parts::HeteroscedasticAffineOptions;
  HeteroscedasticAffine(const Options&, const SimilarityContext& context)
      : affine_(register_module(
            "affine", std::make_shared<nn::Linear>(context.embedding, context.embedding, true))) {}
  Tensor concentration(const Tensor& e) override {
    return torch::softplus(affine_->forward(e) + kSoftplusInverseOfOne);
  }
  bool depends_on_anchor() const override { return true; }

 private:
  std::shared_ptr<nn::Linear> affine_;
};

/// Lambda_x = softplus(MLP(e) + log(exp(1) - 1)).                                   H-InfoNCE, MLP
class HeteroscedasticMlp final : public Similarity {
 public:
  using Options = parts::HeteroscedasticMlpOptions;
  HeteroscedasticMlp(const Options& options, const SimilarityContext& context)
      : mlp_(register_module("mlp", std::make_shared<nn::Mlp>(
                                        nn::MlpShape{
                                            .in = context.embedding,
                                            .hidden = options.hidden,
                                            .out = context.embedding,
                                            .norm = true,
                                            .slope = options.slope,
                                        },
                                        context.compute))) {}
  Tensor concentration(const Tensor& e) override {
    return torch::softplus(mlp_->forward(e) + kSoftplusInverseOfOne);
  }
  bool depends_on_anchor() const override { return true; }

 private:
  std::shared_ptr<nn::Mlp> mlp_;
};

}  // namespace adassl::model
