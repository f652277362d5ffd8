#include "adassl/model/views.h"

#include "adassl/nn/tensors.h"

namespace adassl::model {

Views views(const Batch& batch) {
  return {nn::view(batch.x), nn::view(batch.x_plus), nn::view(batch.helper),
          nn::view(batch.mirror_helper), nn::view(batch.change)};
}

}  // namespace adassl::model
