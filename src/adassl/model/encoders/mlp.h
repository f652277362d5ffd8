#pragma once

#include <numeric>

#include "adassl/model/encoder.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/encoders.h"

namespace adassl::model {

/// A multilayer perceptron on flat observations: Linear + LeakyReLU, no BatchNorm.
class MlpEncoder final : public Encoder {
 public:
  using Options = parts::MlpEncoderOptions;

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
