#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "adassl/kernels/convolution/unit.h"
#include "adassl/kernels/norm_relu.h"

/// Convolutions of pictures whose channels come last, forward and backward, in bfloat16 with
/// float32 sums, each with the norms before and after it. For input pixels q, output pixels p, taps
/// t, input channels i and output channels o, with q = stride p + t - padding,
///
///   act(x)[q, i] = max(0, scale_i x[q, i] + offset_i), or x where it has no norm
///   convolve         y[p, o]     = sum over t, i of weight[o, i, t] act(x)[q, i]
///   input_gradient   dx[q, i]    = sum over p, t that meet q, and o, of weight[o, i, t] dy[p, o]
///   weight_gradient  dw[o, i, t] = sum over p of dy[p, o] act(x)[q, i]
///
/// x and dx are [images, height, width, in], y and dy [images, out height, out width, out], in
/// bfloat16; weight and dw are [out, in, height, width] in float32.
///
/// y is what a layer stores: its convolution before its norm. Whoever reads it applies the norm and
/// the ReLU while it copies y into the cache, so that activations are not stored. The sums over the
/// batch that norms need are gathered while y or dx is written. Results do not depend on the number
/// of threads.
namespace adassl::kernels {

struct ConvolutionSizes {
  int64_t images = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t in = 0;
  int64_t out = 0;
  std::array<int64_t, 2> kernel = {1, 1};
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> padding = {0, 0};

  int64_t out_height() const { return (height + 2 * padding[0] - kernel[0]) / stride[0] + 1; }
  int64_t out_width() const { return (width + 2 * padding[1] - kernel[1]) / stride[1] + 1; }
  int64_t taps() const { return kernel[0] * kernel[1]; }
  int64_t inputs() const { return images * height * width; }               // pixels
  int64_t outputs() const { return images * out_height() * out_width(); }  // pixels
};

/// What a layer reads: [images, height, width, channels], and the norm and ReLU on top, if any.
/// Where a shortcut is added before the ReLU the activations were written out, since several read
/// them.
struct Normed {
  const Bf16* data = nullptr;
  const NormStatistics* statistics = nullptr;
  const ChannelMap* map = nullptr;
  const Bf16* joined = nullptr;  // max(0, map(data) + shortcut)
};

/// The activations of x once its shortcut is added: of `shortcut` its activations, not rounded once
/// more unless they were joined themselves; or, where it is `without_relu`, what its norm makes of
/// it, without a ReLU.
void join_shortcut(int64_t pixels, int64_t channels, const Normed& x, const Normed& shortcut,
                   bool without_relu, Bf16* y);

/// y, [images, out height, out width, out], from the weight [out, in, height, width]; returns the
/// statistics of what it wrote.
NormStatistics convolve(const ConvolutionSizes& sizes, const Normed& x, const float* weight,
                        Bf16* y);

/// Of the gradients g of activations: the sums of g and of g (x - mean), for each channel.
struct GradientSums {
  std::vector<double> plain;
  std::vector<double> weighted;
};

/// The gradient of what a layer wrote: g itself, or g as the gradient of the activations behind the
/// norm of `y`, which is 0 where the ReLU is closed.
struct NormedGradient {
  const Bf16* g = nullptr;
  Normed y = {};                       // without a map: g is the gradient of y
  const GradientSums* sums = nullptr;  // null: the norm's statistics were constants
  double epsilon = 0;                  // of the norm
};

/// dx, of the activations of x, 0 where their ReLU is closed, and its sums; where x has no norm, of
/// x. What others who read x have to give is the addend: as dx, or null.
GradientSums input_gradient(const ConvolutionSizes& sizes, const Normed& x,
                            const NormedGradient& dy, const float* weight, Bf16* dx,
                            const Bf16* addend = nullptr);
/// The sums alone, for a norm whose gradients came as they are.
GradientSums gradient_sums(int64_t images, int64_t pixels, int64_t channels, const Normed& x,
                           const Bf16* g);
/// [out, in, height, width].
void weight_gradient(const ConvolutionSizes& sizes, const Normed& x, const NormedGradient& dy,
                     float* dweight);

/// The mean over each image's pixels of the activations of x, which has a norm: y[image][channel].
void pool(int64_t images, int64_t pixels, int64_t channels, const Normed& x, float* y);
/// Its gradient, of the activations; dy as y.
GradientSums pool_backward(int64_t images, int64_t pixels, int64_t channels, const Normed& x,
                           const float* dy, Bf16* g);

}  // namespace adassl::kernels
