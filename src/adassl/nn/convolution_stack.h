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

/// Whether convolutions in bfloat16 are wanted and kernels of our own faster at them than LibTorch
/// is in float32. Where not, LibTorch's run, in float32.
bool convolves_in_bf16();

/// Whether `pooled_stack` can do it: bfloat16 as above, float32 tensors, a gradient of the
/// parameters only, and of norms over their batch.
bool stack_covers(const Tensor& x, const std::vector<StackedLayer>& layers);

/// All layers, one on the other, and the mean over the pixels of the last one: [images, channels].
/// Products are of bfloat16, sums and parameters float32; between layers numbers are bfloat16.
/// x is [images, channels, height, width].
Tensor pooled_stack(const Tensor& x, const std::vector<StackedLayer>& layers);

}  // namespace adassl::nn
