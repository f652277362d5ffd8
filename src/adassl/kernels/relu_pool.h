#pragma once

#include <array>
#include <cstdint>

#include "adassl/kernels/convolution/unit.h"
#include "adassl/kernels/norm_relu.h"

/// Max pooling of what a norm and a ReLU make of x, in one pass, in float32 or bfloat16. For
/// windows p, taps t, and q = stride p + t - padding inside of the picture,
///
///   a[q]    = max(0, scale x[q] + offset), rounded in bfloat16
///   y[p]    = the largest a[q] of the window
///   taps[p] = the first t at which it is, or kClosed where y[p] is 0
///   g[q]    = the sum of dy[p] over the windows p whose tap is at q: the gradient of
///             scale x + offset
///
/// x and g are [images, height, width, channels], y, dy and taps [images, out height, out width,
/// channels]. The activations are not stored. Results do not depend on the number of threads.
namespace adassl::kernels {

/// Pairs are (vertical, horizontal). A kernel of 0 stands for no pooling.
struct PoolSizes {
  int64_t images = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  std::array<int64_t, 2> kernel = {0, 0};
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> padding = {0, 0};

  int64_t out_height() const { return (height + 2 * padding[0] - kernel[0]) / stride[0] + 1; }
  int64_t out_width() const { return (width + 2 * padding[1] - kernel[1]) / stride[1] + 1; }
  int64_t inputs() const { return images * height * width; }               // pixels
  int64_t outputs() const { return images * out_height() * out_width(); }  // pixels
};

constexpr uint8_t kClosed = 255;  // as a tap: the ReLU is closed in the whole window

void relu_pool(const PoolSizes& sizes, const float* x, const ChannelMap& map, float* y,
               uint8_t* taps);
void relu_pool(const PoolSizes& sizes, const Bf16* x, const ChannelMap& map, Bf16* y,
               uint8_t* taps);

void relu_pool_backward(const PoolSizes& sizes, const float* dy, const uint8_t* taps, float* g);
void relu_pool_backward(const PoolSizes& sizes, const Bf16* dy, const uint8_t* taps, Bf16* g);

}  // namespace adassl::kernels
