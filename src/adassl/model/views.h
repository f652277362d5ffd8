#pragma once

#include "adassl/core/batch.h"
#include "adassl/nn/torch.h"

namespace adassl::model {

/// A batch as tensors, by the same names.
struct Views {
  Tensor x, x_plus, helper, mirror_helper, change;
};

/// Over the batch's own memory, which must outlive the views.
Views views(const Batch& batch);

}  // namespace adassl::model
