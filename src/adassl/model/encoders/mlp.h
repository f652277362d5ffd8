#pragma once

#include <numeric>

#include "adassl/model/encoder.h"
#include "adassl/nn/mlp.h"

namespace adassl::model {

/// A multilayer perceptron on flat observations: Linear + LeakyReLU, no BatchNorm.
class MlpEncoder final : public Encoder {
 public:
  static constexpr std::string_view kName = "mlp";
  static constexpr std::string_view kSummary = "linear layers with LeakyReLU, for vectors";

  struct Options {
    std::vector<int64_t> hidden = {100, 100, 100, 100};
    int64_t out = 0;
    double slope = 0.01;
    void visit(Fields& field) {
      field("hidden", hidden, "widths of the hidden layers", {1, 65536});
      field("out", out,
            "width of the embedding; 0: the observation's, and one more on the hypersphere",
            {0, 65536});
      field("slope", slope, "negative slope of the LeakyReLU", {0, 1});
    }
  };

  MlpEncoder(const Options& options, const EncoderContext& context);
  Tensor represent(const Tensor& x) override { return mlp_->forward(x.flatten(1)); }
  std::vector<Tensor> represent(const std::vector<Tensor>& views) override;
  int64_t embedding_width() const override { return mlp_->shape().out; }
  int64_t activations() const override {
    const auto& hidden = mlp_->shape().hidden;
    return 2 * std::accumulate(hidden.begin(), hidden.end(), int64_t{0}) + mlp_->shape().out;
  }

 private:
  std::shared_ptr<nn::Mlp> mlp_;
};

}  // namespace adassl::model
