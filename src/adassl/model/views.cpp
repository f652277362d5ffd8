#include "adassl/model/views.h"

#include "adassl/nn/tensors.h"

namespace adassl::model {

Views views(const Batch& batch) {
  return {nn::view(batch.x), nn::view(batch.x_plus), nn::view(batch.helper),
          nn::view(batch.mirror_helper), nn::view(batch.change)};
}

Views Views::to(const torch::Device& device) const {
  const auto moved = [&](const Tensor& tensor) {
    return tensor.defined() ? tensor.to(device) : tensor;
  };
  return {moved(x), moved(x_plus), moved(helper), moved(mirror_helper), moved(change)};
}

}  // namespace adassl::model
