#pragma once

#include <string>
#include <vector>

#include "adassl/nn/torch.h"

namespace adassl::optim {

/// All trainable parameters of a module in one buffer, and their gradients in another: the
/// optimiser then is a handful of operations, and clipping one norm. The module's parameters and
/// their gradients become views of these buffers.
struct FlatParameters {
  struct Slice {
    std::string name;
    int64_t offset;
    std::vector<int64_t> shape;
    bool decays;  // weight decay spares what has exactly one dimension: biases, norms' gains
  };

  explicit FlatParameters(torch::nn::Module& module);

  /// The part of a flat tensor (values, a moment, ...) that belongs to one parameter.
  static Tensor part(const Tensor& flat, const Slice& slice);

  /// To be told when `values` is written: the module's parameters are then known to have changed,
  /// and a gradient that still wants the old ones is refused.
  void changed() const;

  Tensor values;     // [P]
  Tensor gradients;  // [P]
  std::vector<Slice> slices;
  std::vector<Tensor> parameters;  // the module's
};

}  // namespace adassl::optim
