#include "adassl/model/encoders/mlp.h"

#include "adassl/core/error.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {

MlpEncoder::MlpEncoder(const Options& options, const EncoderContext& context) {
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

}  // namespace adassl::model
