#pragma once

#include <memory>
#include <vector>

#include "adassl/nn/layers.h"

namespace adassl::nn {

/// in - hidden... - out. Each hidden layer is Linear -> [BatchNorm ->] LeakyReLU, where a Linear
/// before BatchNorm has no bias; the last layer is a bare Linear.
struct MlpShape {
  int64_t in = 0;
  std::vector<int64_t> hidden;
  int64_t out = 0;
  bool norm = false;
  double slope = 0;  // of the LeakyReLU
  bool bias = true;  // of hidden layers without norm
  bool out_bias = true;
  Init init = Init::kDefault;
};

class Mlp final : public torch::nn::Module {
 public:
  explicit Mlp(const MlpShape& shape);
  Tensor forward(Tensor x);  // [B, in] -> [B, out]

  const MlpShape& shape() const { return shape_; }

 private:
  MlpShape shape_;
  std::vector<std::shared_ptr<Linear>> linears_;
  std::vector<std::shared_ptr<BatchNorm>> norms_;
};

}  // namespace adassl::nn
