#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "adassl/kernels/blocks.h"
#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/convolution/passes.h"
#include "adassl/kernels/threads.h"

/// What the three passes of a convolution have in common. For input pixels q, output pixels p, taps
/// t, input channels i and output channels o, they compute
///   y[p, o]     = sum over t, i of weight[o, i, t] act(x)[stride p + t - pad, i]
///   dx[q, i]    = sum over o and p, t with stride p + t - pad = q of weight[o, i, t] dy[p, o]
///   dw[o, i, t] = sum over p of dy[p, o] act(x)[stride p + t - pad, i]
/// where act(x) are the activations of the layer before, and dy is the gradient before the norm of
/// y. Each pass
///   - is divided into tasks for the threads (`Tasks`),
///   - has the weights as the right operand of its products, packed (`pack`); the weight gradient
///     has dy there instead (pairing.h),
///   - computes act(x) and dy while it copies them into the cache (`activation_of`,
///     `OutputGradient`),
///   - and, where a norm asks for it, adds up what it writes, for each image (`ImageSums`).
namespace adassl::kernels {

using Bf16Buffer = BufferOf<Bf16>;

/// The same convolution. Error if a size is not positive, or if the kernel does not fit into the
/// picture. A convolution 1 x 1 with stride 1 treats each pixel alone: its pictures become a single
/// row of height * width pixels.
ConvolutionSizes checked(const ConvolutionSizes& sizes);

/// A pass, divided into tasks. A task computes `images` images, from `first` on, and of their
/// output the blocks of 32 channels from `first_block` up to `last_block`. `pixels` and `bytes` are
/// those of the operands of one image. The operands of a task fit into the cache of a core; small
/// images are put together, so that the weights are read for more than a few pixels; and if that
/// leaves few tasks, the blocks are divided among several. All of this depends on sizes alone, so
/// that results do not depend on the number of threads.
class Tasks {
 public:
  Tasks(int64_t images, int64_t pixels, int64_t bytes, int64_t blocks);
  struct Task {
    int64_t first, images;
    int64_t first_block, last_block;
  };
  int64_t count() const { return chunks_ * slices_; }
  Task operator[](int64_t index) const;

 private:
  int64_t images_, blocks_;
  int64_t chunk_ = 1;  // images of a task
  int64_t chunks_ = 1;
  int64_t slices_ = 1;
};

/// Weights as a product reads them: packed[block][tap][pair][32][2] in bfloat16, with 32 columns a
/// block. Zeros fill up the last block and the last pairs. Columns are the output channels in the
/// forward pass, and the input channels in the gradient of the input; the depth is the number of
/// products that are summed for each tap.
struct PackedShape {
  int64_t columns = 0;
  int64_t depth = 0;  // numbers of a column and tap
  int64_t pairs = 0;  // of a column and tap, as many as the unit reads
  int64_t taps = 0;

  int64_t blocks() const { return (columns + kColumns - 1) / kColumns; }
  int64_t tap_size() const { return pairs * 2 * kColumns; }
  int64_t block_size() const { return taps * tap_size(); }
  int64_t size() const { return blocks() * block_size(); }
};

/// Where a product's weights are: number `index` of a column and tap at
/// weight[column * column_step + places[tap * depth + index]].
struct WeightPlaces {
  const float* weight = nullptr;
  int64_t column_step = 0;
  std::vector<int64_t> places;
};
void pack(const PackedShape& shape, const WeightPlaces& from, Bf16Buffer& packed);

/// Two sums for each image and channel, which tasks fill in any order: of y and its square in the
/// forward pass, both relative to the first pixel of the image; of g and g (x - mean) in the
/// backward pass.
struct ImageSums {
  ImageSums(int64_t images, int64_t of_channels)
      : channels(of_channels), values(static_cast<size_t>(2 * images * of_channels)) {}
  float* first(int64_t image) { return values.data() + 2 * image * channels; }
  float* second(int64_t image) { return first(image) + channels; }
  int64_t channels;
  std::vector<float> values;
};
/// The sums of all images, added in the order of the images.
GradientSums merged(ImageSums& sums, int64_t images);

/// act(x) is `activation_of(x)` applied to `numbers_of(x)`. If the activations were written out
/// (x.joined), these are the numbers, and there is no activation.
const Bf16* numbers_of(const Normed& x);
Activation activation_of(const Normed& x);
/// What `write_gradients` (passes.h) needs to know of x; empty if x has no norm.
Activated activated_by(const Normed& x);

/// The gradient of a convolution's outputs, dy[p, o]. If g is the gradient behind the norm of y,
/// over n pixels with the sums S = sum g and W = sum g (y - mean), then
///   dy = scale (g - S / n - (y - mean) W / (n (variance + epsilon))) = scale g + slope y + shift
/// for each channel; with constant statistics slope and shift are 0.
class OutputGradient {
 public:
  OutputGradient(const ConvolutionSizes& sizes, const NormedGradient& dy);
  /// Writes to[pixel][depth] for the pixels from `first` on; zeros behind the last channel.
  void fill(int64_t first, int64_t pixels, int64_t depth, Bf16* to) const;

 private:
  int64_t channels_;
  const NormedGradient& dy_;
  std::vector<float> slope_, shift_;
};

}  // namespace adassl::kernels
