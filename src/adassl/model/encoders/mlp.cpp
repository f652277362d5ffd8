#include "adassl/model/encoders/mlp.h"

namespace adassl::model {

MlpEncoder::MlpEncoder(const Options& options, const EncoderContext& context) {
  int64_t in = 1;
  for (const int64_t extent : context.observation) in *= extent;
  const int64_t out = options.out > 0 ? options.out : in + (context.hypersphere ? 1 : 0);
  mlp_ = register_module("mlp", std::make_shared<nn::Mlp>(nn::MlpShape{
                                    .in = in,
                                    .hidden = options.hidden,
                                    .out = out,
                                    .slope = options.slope,
                                }));
}

std::vector<Tensor> MlpEncoder::represent(const std::vector<Tensor>& views) {
  std::vector<Tensor> flat;
  for (const Tensor& view : views) flat.push_back(view.flatten(1));
  return mlp_->forward(flat);
}

}  // namespace adassl::model
