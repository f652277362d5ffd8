#pragma once

#include <memory>
#include <vector>

#include "adassl/nn/built_network.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/mlp_function.h"

/// A multilayer perceptron, [B, in] -> [B, out]:
///
///   h_0 = x,  h_{l+1} = LeakyReLU(norm_l(W_l h_l + b_l)),  y = W_n h_n + b_n
///
/// Three implementations compute it: a bfloat16 chain for wide networks (nn/bf16_chain.h), one
/// fused float32 kernel (nn/mlp_function.h), and LibTorch's operations as the reference.
namespace adassl::nn {

/// The widths of the layers are in, hidden[0], ..., hidden[n - 1], out. Each hidden layer is
/// Linear, then BatchNorm if `norm`, then LeakyReLU. A Linear before BatchNorm has no bias. The
/// last layer is a Linear only.
struct MlpShape {
  int64_t in = 0;
  std::vector<int64_t> hidden;
  int64_t out = 0;
  bool norm = false;
  double slope = 0;  // negative slope of the LeakyReLU; 0 gives ReLU
  bool bias = true;  // whether hidden layers without norm have a bias
  bool out_bias = true;
  Init init = Init::kDefault;
};

/// The description of this perceptron, with the names linear0, norm0, linear1, and so on.
Network mlp_network(const MlpShape& shape);

class Mlp final : public torch::nn::Module {
 public:
  explicit Mlp(const MlpShape& shape, ComputePtr compute = default_compute());
  Tensor forward(const Tensor& x) { return forward(std::vector<Tensor>{x})[0]; }  // -> [B, out]
  /// Computes several views, each [B, in] -> [B, out], in one call. Batch normalisation uses the
  /// statistics of each view separately, so the result is the same as that of one call per view.
  std::vector<Tensor> forward(const std::vector<Tensor>& views);

  const MlpShape& shape() const { return shape_; }
  Footprint footprint() const;
  /// Whether bfloat16 is faster than float32 for this network, provided that the machine supports
  /// it. The network must be wide enough, and its activations must be ReLUs.
  bool gains_by_bf16() const;

 private:
  bool fits_kernels(const std::vector<Tensor>& views) const;  // by the fused float32 kernel
  bool fits_bf16(const std::vector<Tensor>& views) const;     // by the bfloat16 chain
  /// The bfloat16 chain for an input of this many rows.
  std::vector<ChainLayer> chain_for(int64_t rows) const;
  /// The sizes of the parts into which a batch is split for the bfloat16 chain. It is one part if
  /// the rows depend on each other through batch statistics.
  std::vector<int64_t> parts_of(int64_t rows) const;
  Tensor in_bf16(const Tensor& x);  // [B, in] -> [B, out]

  MlpShape shape_;
  ComputePtr compute_;
  BuiltNetwork network_;
  std::vector<std::shared_ptr<Linear>> linears_;   // those of network_, in order
  std::vector<std::shared_ptr<BatchNorm>> norms_;  // one per hidden layer, or none
  MlpMemory memory_;
  int64_t widest_ = 0;  // the largest of in, hidden and out
};

/// The memory of a part of a model in which every perceptron, and every linear layer outside of
/// them, runs once. Their inputs count, too: most are made for them, by a concatenation.
Footprint footprint_of(const torch::nn::Module& part);

}  // namespace adassl::nn
