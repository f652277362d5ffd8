#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "adassl/kernels/blocks.h"
#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/convolution/passes.h"
#include "adassl/kernels/threads.h"

/// What the three passes of a convolution have in common.
namespace adassl::kernels {

using Halves = BufferOf<Bf16>;

/// The same convolution, its sizes checked; where pixels know nothing of their neighbours, pictures
/// of one row.
ConvolutionSizes checked(const ConvolutionSizes& sizes);

/// A pass cut into tasks, by its sizes alone: some images, and some blocks of their channels. Their
/// operands, of so many bytes an image, stay in the cache; what is read once for all of them is
/// read for more than a few pixels; and where that leaves few tasks, blocks are shared out too.
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

/// Weights as a product reads them: [block][tap][pair][32][2], rounded; zeros fill up.
struct PackedShape {
  int64_t columns = 0;
  int64_t depth = 0;  // numbers that there are
  int64_t pairs = 0;  // that the unit reads
  int64_t taps = 0;

  int64_t blocks() const { return (columns + kColumns - 1) / kColumns; }
  int64_t tap_size() const { return pairs * 2 * kColumns; }
  int64_t block_size() const { return taps * tap_size(); }
  int64_t size() const { return blocks() * block_size(); }
};

/// value(column, index, tap) is the weight.
template <class Value>
void pack(const PackedShape& shape, Halves& packed, const Value& value) {
  packed.resize(shape.size());
  Bf16* const begin = packed.data();
  parallel_for(shape.blocks(), [&](int64_t block) {
    float line[2 * kColumns];
    Bf16* to = begin + block * shape.block_size();
    const int64_t columns = std::min(kColumns, shape.columns - block * kColumns);
    for (int64_t tap = 0; tap < shape.taps; ++tap) {
      for (int64_t k = 0; k < shape.pairs; ++k, to += 2 * kColumns) {
        std::fill(line, line + 2 * kColumns, 0.0F);
        for (int64_t index = 2 * k; index < std::min(2 * k + 2, shape.depth); ++index) {
          for (int64_t n = 0; n < columns; ++n) {
            line[2 * n + index % 2] = value(block * kColumns + n, index, tap);
          }
        }
        round_to_bf16(2 * kColumns, line, to);
      }
    }
  });
}

inline float weight_at(const ConvolutionSizes& sizes, const float* weight, int64_t out, int64_t in,
                       int64_t tap) {
  return weight[(out * sizes.in + in) * sizes.taps() + tap];
}

/// Two sums for each image and channel.
struct ImageSums {
  ImageSums(int64_t images, int64_t of_channels)
      : channels(of_channels), values(static_cast<size_t>(2 * images * of_channels)) {}
  float* first(int64_t image) { return values.data() + 2 * image * channels; }
  float* second(int64_t image) { return first(image) + channels; }
  int64_t channels;
  std::vector<float> values;
};
/// In the order of the images.
GradientSums merged(ImageSums& sums, int64_t images);

Activation activation_of(const Normed& x);
/// Nothing where x has no norm.
Activated activated_by(const Normed& x);

/// The gradient of a convolution's outputs, row by row.
class OutputGradient {
 public:
  OutputGradient(const ConvolutionSizes& sizes, const NormedGradient& dy);
  /// to[pixel][depth] for the pixels from `first` on.
  void fill(int64_t first, int64_t pixels, int64_t depth, Bf16* to) const;

 private:
  int64_t channels_;
  const NormedGradient& dy_;
  std::vector<float> slope_, shift_;
};

}  // namespace adassl::kernels
