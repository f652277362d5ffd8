#pragma once

#include <memory>
#include <vector>

#include "adassl/kernels/mlp.h"
#include "adassl/nn/torch.h"

/// The multilayer perceptron of kernels/mlp.h as one operation of LibTorch's autograd graph.
namespace adassl::nn {

/// The tensors of one layer, y = LeakyReLU(norm(x W^T + b)). A tensor is undefined if the layer
/// does not have it.
struct MlpTensors {
  Tensor weight, bias;                            // [out, in], [out]
  Tensor gain, shift, running_mean, running_var;  // [out] each
  float slope = 1;                                // of the LeakyReLU; 1: no activation
};

/// A pool of kernel passes, which own the buffers for intermediate values. A pass is reused once no
/// autograd graph holds it any more, so that later steps allocate no new buffers.
class MlpMemory {
 public:
  /// A pass that is not in use.
  std::shared_ptr<kernels::MlpPass> pass();

 private:
  std::vector<std::shared_ptr<kernels::MlpPass>> passes_;
};

/// Applies all layers to each view, [B, in] -> [B, out]. The result is differentiable once, with
/// respect to the views and the parameters. If `training`, norms use the batch statistics of each
/// view and update the running ones; otherwise they use the running statistics. There are no
/// gradients through running statistics: with norms, a gradient that is required without `training`
/// is an Error. All tensors must be float32 on the CPU.
std::vector<Tensor> mlp_function(const std::vector<MlpTensors>& layers,
                                 const std::vector<Tensor>& views, bool training,
                                 MlpMemory& memory);

}  // namespace adassl::nn
