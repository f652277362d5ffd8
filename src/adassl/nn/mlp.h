#pragma once

#include <memory>
#include <vector>

#include "adassl/nn/built_network.h"
#include "adassl/nn/compute.h"
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

/// The table of such a network: linear0, norm0, linear1, ...
Network mlp_network(const MlpShape& shape);

class Mlp final : public torch::nn::Module {
 public:
  explicit Mlp(const MlpShape& shape, ComputePtr compute = default_compute());
  Tensor forward(const Tensor& x) { return forward(std::vector<Tensor>{x})[0]; }  // -> [B, out]
  /// Several views in one pass; a norm sees each view alone, as if they had come one by one.
  std::vector<Tensor> forward(const std::vector<Tensor>& views);  // each [B, in] -> [B, out]

  const MlpShape& shape() const { return shape_; }
  Footprint footprint() const { return network_.footprint(); }
  /// Whether it is wide enough, and has ReLUs.
  bool gains_by_bf16() const;

 private:
  bool fits_kernels(const std::vector<Tensor>& views) const;
  bool fits_bf16(const std::vector<Tensor>& views) const;
  std::vector<ChainLayer> chain_for(int64_t rows) const;
  /// Rows that know nothing of each other, in parts of an even size.
  std::vector<int64_t> parts_of(int64_t rows) const;
  Tensor in_bf16(const Tensor& x);

  MlpShape shape_;
  ComputePtr compute_;
  BuiltNetwork network_;
  std::vector<std::shared_ptr<Linear>> linears_;  // of the network
  std::vector<std::shared_ptr<BatchNorm>> norms_;
  MlpMemory memory_;
  int64_t widest_ = 0;
};

}  // namespace adassl::nn
