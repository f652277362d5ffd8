#include "adassl/nn/mlp.h"

#include <string>

namespace adassl::nn {

Mlp::Mlp(const MlpShape& shape) : shape_(shape) {
  int64_t in = shape.in;
  for (size_t i = 0; i < shape.hidden.size(); ++i) {
    const std::string at = std::to_string(i);
    const bool bias = shape.bias && !shape.norm;
    linears_.push_back(register_module(
        "linear" + at, std::make_shared<Linear>(in, shape.hidden[i], bias, shape.init)));
    if (shape.norm) {
      norms_.push_back(register_module("norm" + at, std::make_shared<BatchNorm>(shape.hidden[i])));
    }
    in = shape.hidden[i];
  }
  linears_.push_back(
      register_module("linear" + std::to_string(shape.hidden.size()),
                      std::make_shared<Linear>(in, shape.out, shape.out_bias, shape.init)));
}

Tensor Mlp::forward(Tensor x) {
  for (size_t i = 0; i + 1 < linears_.size(); ++i) {
    x = linears_[i]->forward(x);
    if (shape_.norm) x = norms_[i]->forward(x);
    x = leaky_relu(x, shape_.slope);
  }
  return linears_.back()->forward(x);
}

}  // namespace adassl::nn
