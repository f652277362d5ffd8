#pragma once

#include <string>
#include <vector>

#include "adassl/nn/torch.h"

namespace adassl::optim {

/// All trainable parameters of a module in one buffer, and their gradients in another. The
/// optimiser then needs only a few operations, and clipping needs one norm. The module's parameters
/// and their gradients become views of these buffers.
struct FlatParameters {
  struct Slice {
    std::string name;
    int64_t offset;
    std::vector<int64_t> shape;
    bool decays;  // false for parameters with exactly one dimension: biases, gains of norms
  };

  explicit FlatParameters(torch::nn::Module& module);

  /// The part of a flat tensor (values, a moment, ...) that belongs to one parameter.
  static Tensor part(const Tensor& flat, const Slice& slice);

  /// Must be called after `values` was written. It marks the module's parameters as modified, so
  /// that autograd refuses to compute a gradient that needs their old values.
  void changed() const;

  Tensor values;     // [P]
  Tensor gradients;  // [P]
  std::vector<Slice> slices;
  std::vector<Tensor> parameters;  // the module's
};

}  // namespace adassl::optim
