#include "adassl/kernels/convolution/common.h"

#include "adassl/core/error.h"

/// What the three passes share:
///   Tasks           images x blocks of 32 channels, divided by sizes alone
///   pack            weight[out, in, height, width] -> packed[block][tap][pair][32][2] in bfloat16:
///                   packed[b][t][k][n][h] = weight of column 32 b + n, tap t, number 2 k + h
///   merged          sums[image][2][channel] -> [channel], added in the order of the images
///   OutputGradient  dy = scale g + slope y + shift, the gradient before the norm of y, with
///                   slope = -scale W / (n (variance + epsilon)),
///                   shift = -scale S / n - slope mean,
///                   S = sum g and W = sum g (y - mean) over the n pixels of the batch
namespace adassl::kernels {

ConvolutionSizes checked(const ConvolutionSizes& s) {
  ADASSL_CHECK(s.images > 0 && s.height > 0 && s.width > 0 && s.in > 0 && s.out > 0 &&
                   s.kernel[0] > 0 && s.kernel[1] > 0 && s.stride[0] > 0 && s.stride[1] > 0 &&
                   s.padding[0] >= 0 && s.padding[1] >= 0 &&
                   s.height + 2 * s.padding[0] >= s.kernel[0] &&
                   s.width + 2 * s.padding[1] >= s.kernel[1],
               "[convolution] nothing comes of ", s.images, " pictures of ", s.height, " x ",
               s.width, " x ", s.in, " and a kernel of ", s.kernel[0], " x ", s.kernel[1]);
  const bool alone =
      s.taps() == 1 && s.stride[0] * s.stride[1] == 1 && s.padding[0] == 0 && s.padding[1] == 0;
  if (!alone) return s;
  return {s.images, 1, s.height * s.width, s.in, s.out, s.kernel, s.stride, s.padding};
}

Tasks::Tasks(int64_t images, int64_t pixels, int64_t bytes, int64_t blocks)
    : images_(images), blocks_(blocks) {
  constexpr int64_t kBytes = 512 << 10;
  constexpr int64_t kPixels = 256;
  constexpr int64_t kEnough = 16;  // tasks
  const int64_t wanted = (kPixels + pixels - 1) / pixels;
  const int64_t fitting = kBytes / std::max<int64_t>(1, bytes);
  chunk_ = std::clamp<int64_t>(std::min(wanted, fitting), 1, images);
  chunks_ = (images + chunk_ - 1) / chunk_;
  slices_ = std::clamp<int64_t>(kEnough / chunks_, 1, blocks);
}

Tasks::Task Tasks::operator[](int64_t index) const {
  const int64_t first = index / slices_ * chunk_;
  const int64_t slice = index % slices_;
  return {first, std::min(chunk_, images_ - first), slice * blocks_ / slices_,
          (slice + 1) * blocks_ / slices_};
}

void pack(const PackedShape& shape, const WeightPlaces& from, Bf16Buffer& packed) {
  constexpr int64_t kDeep = 16;  // numbers of a column that share a line of the cache
  packed.resize(shape.size());
  Bf16* const begin = packed.data();
  parallel_for(shape.blocks(), [&](int64_t block) {
    float tile[kDeep][kColumns] = {};
    float line[2 * kColumns];
    Bf16* to = begin + block * shape.block_size();
    const int64_t columns = std::min(kColumns, shape.columns - block * kColumns);
    const float* weight = from.weight + block * kColumns * from.column_step;
    for (int64_t tap = 0; tap < shape.taps; ++tap) {
      for (int64_t first = 0; first < 2 * shape.pairs; first += kDeep) {
        const int64_t* places = from.places.data() + tap * shape.depth + first;
        const int64_t deep = std::clamp<int64_t>(shape.depth - first, 0, kDeep);
        for (int64_t n = 0; n < columns; ++n) {
          const float* column = weight + n * from.column_step;
          for (int64_t i = 0; i < deep; ++i) tile[i][n] = column[places[i]];
        }
        for (int64_t i = deep; i < kDeep; ++i) std::fill_n(tile[i], kColumns, 0.0F);
        const int64_t pairs = std::min(kDeep / 2, shape.pairs - first / 2);
        for (int64_t k = 0; k < pairs; ++k, to += 2 * kColumns) {
          for (int64_t n = 0; n < kColumns; ++n) {
            line[2 * n] = tile[2 * k][n];
            line[2 * n + 1] = tile[2 * k + 1][n];
          }
          round_to_bf16(2 * kColumns, line, to);
        }
      }
    }
  });
}

GradientSums merged(ImageSums& sums, int64_t images) {
  const auto channels = static_cast<size_t>(sums.channels);
  GradientSums out{std::vector<double>(channels), std::vector<double>(channels)};
  for (int64_t i = 0; i < images; ++i) {
    for (size_t c = 0; c < channels; ++c) {
      out.plain[c] += sums.first(i)[c];
      out.weighted[c] += sums.second(i)[c];
    }
  }
  return out;
}

const Bf16* numbers_of(const Normed& x) { return x.joined == nullptr ? x.data : x.joined; }

Activation activation_of(const Normed& x) {
  if (x.map == nullptr || x.joined != nullptr) return {};
  return {x.map->scale.data(), x.map->offset.data()};
}

Activated activated_by(const Normed& x) {
  if (x.map == nullptr) return {};
  return {x.data, activation_of(x), x.statistics->mean.data(), x.joined, nullptr};
}

OutputGradient::OutputGradient(const ConvolutionSizes& sizes, const NormedGradient& dy)
    : channels_(sizes.out), dy_(dy) {
  if (dy.y.map == nullptr) return;
  const auto channels = static_cast<size_t>(sizes.out);
  slope_.resize(channels);
  shift_.resize(channels);
  if (dy.sums == nullptr) return;
  const auto rows = static_cast<double>(sizes.outputs());
  for (size_t c = 0; c < channels; ++c) {
    const double variance = dy.y.statistics->variance[c] + dy.epsilon;
    const double scale = dy.y.map->scale[c];
    const double slope = -scale * dy.sums->weighted[c] / variance / rows;
    slope_[c] = static_cast<float>(slope);
    shift_[c] =
        static_cast<float>(-scale * dy.sums->plain[c] / rows - slope * dy.y.statistics->mean[c]);
  }
}

void OutputGradient::fill(int64_t first, int64_t pixels, int64_t depth, Bf16* to) const {
  const int64_t at = first * channels_;
  if (dy_.y.map == nullptr) return activate(pixels, channels_, dy_.g + at, {}, depth, to);
  const NormSlope norm{dy_.y.map->scale.data(), slope_.data(), shift_.data()};
  through_norm(pixels, channels_, dy_.g + at, dy_.y.data + at, norm, depth, to);
}

}  // namespace adassl::kernels
