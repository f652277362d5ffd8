#include "adassl/model/encoders/mlp.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/nn/tensors.h"

/// x [B, ...] -> its numbers in a row, bytes divided by 255, h_0 [B, in] -> a perceptron:
///   h_{l+1} = LeakyReLU(W_l h_l + b_l)   [B, hidden_l],   e = W_n h_n + b_n   [B, out]
/// The decoder is a perceptron with the hidden layers in reverse order: [B, z] -> [B, ...].
namespace adassl::model {

namespace {

class MlpDecoder final : public Decoder {
 public:
  MlpDecoder(const nn::MlpShape& shape, const std::vector<int64_t>& observation,
             const nn::ComputePtr& compute)
      : observation_(observation),
        mlp_(register_module("mlp", std::make_shared<nn::Mlp>(shape, compute))) {}
  Tensor decode(const Tensor& z) override {
    return mlp_->forward(z).unflatten(1, at::IntArrayRef(observation_));
  }
  nn::Footprint footprint() const override { return mlp_->footprint(); }

 private:
  std::vector<int64_t> observation_;
  std::shared_ptr<nn::Mlp> mlp_;
};

}  // namespace

MlpEncoder::MlpEncoder(const Options& options, const EncoderContext& context)
    : observation_(context.observation), compute_(context.compute) {
  int64_t in = 1;
  for (const int64_t extent : context.observation) in *= extent;
  ADASSL_CHECK(options.out > 0 || context.observation.size() == 1,
               "[encoder] out: an embedding as wide as the observation is meant for vectors, and "
               "this one has ",
               in, " numbers; expected a width, e.g. encoder.out=128");
  const int64_t out = options.out > 0 ? options.out : in + (context.hypersphere ? 1 : 0);
  mlp_ = register_module("mlp", std::make_shared<nn::Mlp>(
                                    nn::MlpShape{
                                        .in = in,
                                        .hidden = options.hidden,
                                        .out = out,
                                        .slope = options.slope,
                                    },
                                    context.compute));
}

Tensor MlpEncoder::flat(const Tensor& x) { return nn::unit_pixels(x).flatten(1); }

std::vector<Tensor> MlpEncoder::represent(const std::vector<Tensor>& views) {
  std::vector<Tensor> numbers;
  for (const Tensor& view : views) numbers.push_back(flat(view));
  return mlp_->forward(numbers);
}

std::shared_ptr<Decoder> MlpEncoder::mirror(int64_t in) const {
  nn::MlpShape shape = mlp_->shape();
  shape.out = shape.in;
  shape.in = in;
  std::ranges::reverse(shape.hidden);
  return std::make_shared<MlpDecoder>(shape, observation_, compute_);
}

}  // namespace adassl::model
