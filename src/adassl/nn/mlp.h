#pragma once

#include <memory>
#include <vector>

#include "adassl/nn/bf16_chain.h"
#include "adassl/nn/layers.h"
#include "adassl/nn/mlp_function.h"

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
  Tensor forward(const Tensor& x) { return forward(std::vector<Tensor>{x})[0]; }  // -> [B, out]
  /// Several views in one pass; a norm sees each view alone, as if they had come one by one.
  std::vector<Tensor> forward(const std::vector<Tensor>& views);  // each [B, in] -> [B, out]

  const MlpShape& shape() const { return shape_; }
  /// Whether it is wide enough, and has ReLUs.
  bool gains_by_bf16() const;

 private:
  Tensor reference(Tensor x);
  bool fits_kernels(const std::vector<Tensor>& views) const;
  bool fits_bf16(const std::vector<Tensor>& views) const;
  std::vector<ChainLayer> chain_for(int64_t rows) const;
  /// Rows that know nothing of each other, in parts of an even size.
  std::vector<int64_t> parts_of(int64_t rows) const;
  Tensor in_bf16(const Tensor& x);

  MlpShape shape_;
  std::vector<std::shared_ptr<Linear>> linears_;
  std::vector<std::shared_ptr<BatchNorm>> norms_;
  MlpMemory memory_;
  int64_t widest_ = 0;
};

}  // namespace adassl::nn
