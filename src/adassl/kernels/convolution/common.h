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

using Bf16Buffer = BufferOf<Bf16>;

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

/// Where a product's weights are: number `index` of a column and tap at
/// weight[column * column_step + places[tap * depth + index]].
struct WeightPlaces {
  const float* weight = nullptr;
  int64_t column_step = 0;
  std::vector<int64_t> places;
};
void pack(const PackedShape& shape, const WeightPlaces& from, Bf16Buffer& packed);

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

/// What the activations of x are made of, and how; nothing where they lie there.
const Bf16* numbers_of(const Normed& x);
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
