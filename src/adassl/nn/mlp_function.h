#pragma once

#include <memory>
#include <vector>

#include "adassl/kernels/mlp.h"
#include "adassl/nn/torch.h"

namespace adassl::nn {

/// One layer of a network as tensors; those that a layer does not have are undefined.
struct MlpTensors {
  Tensor weight, bias;                            // [out, in], [out]
  Tensor gain, shift, running_mean, running_var;  // [out] each
  float slope = 1;                                // of the activation; 1: none
};

/// Passes with the memory that they work in. One that no graph holds any more is used again, so
/// that after the first step nothing is allocated.
class MlpMemory {
 public:
  std::shared_ptr<kernels::MlpPass> pass();

 private:
  std::vector<std::shared_ptr<kernels::MlpPass>> passes_;
};

/// A whole network as one operation with a gradient: each view [B, in] becomes [B, out], with
/// batch statistics of its own where `training`. All tensors are float32 on the CPU.
std::vector<Tensor> mlp_function(const std::vector<MlpTensors>& layers,
                                 const std::vector<Tensor>& views, bool training,
                                 MlpMemory& memory);

}  // namespace adassl::nn
