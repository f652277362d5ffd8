#pragma once

#include "adassl/model/similarities/softplus.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/mlp.h"

namespace adassl::model {

/// Lambda_x = softplus(W e + b + log(exp(1) - 1)): the weights depend on the anchor and start near
/// 1, where lambda starts. The constant is the same as another first value of b.
///                                                                               H-InfoNCE, affine
class HeteroscedasticAffine final : public Similarity {
 public:
  static constexpr std::string_view kName = "heteroscedastic-affine";
  static constexpr std::string_view kSummary =
      "weights that an affine map reads off the anchor (H-InfoNCE affine)";
  struct Options {
    void visit(Fields&) {}
  };
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
  static constexpr std::string_view kName = "heteroscedastic-mlp";
  static constexpr std::string_view kSummary =
      "weights that a small network reads off the anchor (H-InfoNCE MLP)";
  struct Options {
    std::vector<int64_t> hidden = {100, 100, 100};
    double slope = 0.01;
    void visit(Fields& field) {
      field("hidden", hidden, "widths of the hidden layers", {1, 65536});
      field("slope", slope, "negative slope of the LeakyReLU; 0 is ReLU", {0, 1});
    }
  };
  HeteroscedasticMlp(const Options& options, const SimilarityContext& context)
      : mlp_(register_module("mlp", std::make_shared<nn::Mlp>(nn::MlpShape{
                                        .in = context.embedding,
                                        .hidden = options.hidden,
                                        .out = context.embedding,
                                        .norm = true,
                                        .slope = options.slope,
                                    }))) {}
  Tensor concentration(const Tensor& e) override {
    return torch::softplus(mlp_->forward(e) + kSoftplusInverseOfOne);
  }
  bool depends_on_anchor() const override { return true; }

 private:
  std::shared_ptr<nn::Mlp> mlp_;
};

}  // namespace adassl::model
