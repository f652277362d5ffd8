#pragma once

#include "adassl/model/encoder.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/encoders.h"

namespace adassl::model {

/// A multilayer perceptron on flat observations: Linear + LeakyReLU, no BatchNorm.
class MlpEncoder final : public Encoder {
 public:
  using Options = parts::MlpEncoderOptions;

  MlpEncoder(const Options& options, const EncoderContext& context);
  Tensor represent(const Tensor& x) override { return mlp_->forward(flat(x)); }
  std::vector<Tensor> represent(const std::vector<Tensor>& views) override;
  int64_t embedding_width() const override { return mlp_->shape().out; }
  std::shared_ptr<Decoder> mirror(int64_t in) const override;
  nn::Footprint footprint() const override { return mlp_->footprint(); }

 private:
  static Tensor flat(const Tensor& x);

  std::vector<int64_t> observation_;  // shape of one x
  nn::ComputePtr compute_;
  std::shared_ptr<nn::Mlp> mlp_;
};

}  // namespace adassl::model
