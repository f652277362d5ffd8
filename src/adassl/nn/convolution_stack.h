#pragma once

#include <memory>
#include <vector>

#include "adassl/nn/convolution.h"

namespace adassl::nn {

/// A layer, and how it sees the numbers of the one before it: as so many pictures of this size.
struct StackedLayer {
  std::shared_ptr<ConvolutionLayer> layer;
  int64_t images = 0;
  int64_t height = 0;
  int64_t width = 0;
};

/// Whether `pooled_stack` can do it: as `chain_covers`.
bool stack_covers(const Tensor& x, const std::vector<StackedLayer>& layers);

/// All layers, one on the other, and the mean over the pixels of the last one: [images, channels].
/// x is [images, channels, height, width].
Tensor pooled_stack(const Tensor& x, const std::vector<StackedLayer>& layers);

}  // namespace adassl::nn
