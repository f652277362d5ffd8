#pragma once

#include "adassl/core/batch.h"
#include "adassl/nn/torch.h"

namespace adassl::model {

/// The arrays of a batch as tensors, with the same names.
struct Views {
  Tensor x, x_plus, helper, mirror_helper, change;

  /// The same on a device. Tensors that are there already are not copied.
  Views to(const torch::Device& device) const;
};

/// The tensors share the memory of the batch, which must outlive them.
Views views(const Batch& batch);

}  // namespace adassl::model
