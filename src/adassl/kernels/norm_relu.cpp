// Batch normalisation of rows x [rows, channels] in float32, alone or with what follows it. For
// each channel, with the mean and the variance over all rows,
//   scale = gain / sqrt(variance + epsilon),  offset = shift - scale mean
//   y = scale x + offset,  y = max(0, scale x + offset),  y = max(0, scale x + offset + shortcut)
// and backward, with g, the gradient of scale x + offset (dy, or 0 where the ReLU is closed),
//   S = sum g,  W = sum g (x - mean),  dshift = S,  dgain = W / sqrt(variance + epsilon)
//   dx = scale (g - S / rows - (x - mean) W / (rows (variance + epsilon)))
// Each pass divides the rows into blocks of about 64 KB, for the threads. Sums of the blocks are
// added in their order, in double precision.

#include "adassl/kernels/norm_relu.h"

#include <algorithm>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"

// The order matters: simd.h selects the targets for which foreach_target.h compiles this file.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/norm_relu.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/norm_rows-inl.h"
// clang-format on

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(block_moments);
HWY_EXPORT(norm_rows);
HWY_EXPORT(norm_relu_rows);
HWY_EXPORT(norm_add_relu_rows);
HWY_EXPORT(relu_gradient_sums);
HWY_EXPORT(plain_gradient_sums);
HWY_EXPORT(joined_gradient_sums);
HWY_EXPORT(relu_gradient_rows);
HWY_EXPORT(plain_gradient_rows);

/// Divides the rows into blocks of about 64 KB, according to their shape alone.
struct Cut {
  explicit Cut(const Rows& shape)
      : channels(static_cast<size_t>(shape.channels)),
        block(std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, shape.channels))),
        rows(shape.rows),
        count((shape.rows + block - 1) / block) {}
  size_t offset(int64_t i) const { return static_cast<size_t>(i * block) * channels; }
  size_t rows_of(int64_t i) const { return static_cast<size_t>(std::min(block, rows - i * block)); }
  size_t channels;
  int64_t block, rows, count;
};

/// Two sums for each block and channel.
struct BlockSums {
  explicit BlockSums(const Cut& cut)
      : channels(cut.channels), values(2 * channels * static_cast<size_t>(cut.count)) {}
  float* first(int64_t block) { return values.data() + 2 * channels * static_cast<size_t>(block); }
  float* second(int64_t block) { return first(block) + channels; }
  size_t channels;
  std::vector<float> values;
};

template <class Rows_>
void map_blocks(const Rows& shape, Rows_ rows, const float* x, const ChannelMap& map,
                const float* shortcut, float* y) {
  const Cut cut(shape);
  parallel_for(cut.count, [&](int64_t i) {
    rows(cut.rows_of(i), cut.channels, x + cut.offset(i), map.scale.data(), map.offset.data(),
         shortcut == nullptr ? nullptr : shortcut + cut.offset(i), y + cut.offset(i));
  });
}

/// What the gradient of x takes from all rows.
struct Gradient {
  std::vector<float> slope, level;
};

/// Merges the sums of g and g (x - mean), in the order of the blocks; writes the gradients of gain
/// and shift.
Gradient gradient_of(const Cut& cut, BlockSums& sums, const NormStatistics& statistics,
                     double epsilon, const NormGradients& out) {
  Gradient of{std::vector<float>(cut.channels), std::vector<float>(cut.channels)};
  const auto rows = static_cast<double>(cut.rows);
  for (size_t c = 0; c < cut.channels; ++c) {
    double sum = 0;
    double sum_x = 0;
    for (int64_t i = 0; i < cut.count; ++i) {
      sum += sums.first(i)[c];
      sum_x += sums.second(i)[c];
    }
    const double variance = statistics.variance[c] + epsilon;
    out.gain[c] = static_cast<float>(sum_x / std::sqrt(variance));
    out.shift[c] = static_cast<float>(sum);
    of.slope[c] = static_cast<float>(sum_x / variance / rows);
    of.level[c] = static_cast<float>(sum / rows);
  }
  return of;
}

/// The gradients where g is in memory and its sums are known.
void plain_gradient(const Cut& cut, BlockSums& sums, const float* x, const float* g,
                    const NormStatistics& statistics, const ChannelMap& map, double epsilon,
                    const NormGradients& out) {
  const Gradient of = gradient_of(cut, sums, statistics, epsilon, out);
  parallel_for(cut.count, [&](int64_t i) {
    ADASSL_DISPATCH(plain_gradient_rows)
    (cut.rows_of(i), cut.channels, x + cut.offset(i), g + cut.offset(i), map.scale.data(),
     statistics.mean.data(), of.slope.data(), of.level.data(), out.x + cut.offset(i));
  });
}

}  // namespace

NormStatistics statistics(const Rows& shape, const float* x) {
  ADASSL_CHECK(shape.rows > 0 && shape.channels > 0, "[norm_relu] expected rows, got ", shape.rows,
               " of ", shape.channels, " channels");
  const Cut cut(shape);
  BlockSums sums(cut);
  parallel_for(cut.count, [&](int64_t i) {
    ADASSL_DISPATCH(block_moments)
    (cut.rows_of(i), cut.channels, x + cut.offset(i), sums.first(i), sums.second(i));
  });
  NormStatistics out{std::vector<float>(cut.channels), std::vector<float>(cut.channels)};
  for (size_t c = 0; c < cut.channels; ++c) {
    double total = 0;
    for (int64_t i = 0; i < cut.count; ++i) total += sums.first(i)[c];
    const double mean = total / static_cast<double>(shape.rows);
    double squares = 0;
    for (int64_t i = 0; i < cut.count; ++i) {
      const auto count = static_cast<double>(cut.rows_of(i));
      const double apart = sums.first(i)[c] / count - mean;
      squares += sums.second(i)[c] + count * apart * apart;
    }
    out.mean[c] = static_cast<float>(mean);
    out.variance[c] = static_cast<float>(squares / static_cast<double>(shape.rows));
  }
  return out;
}

ChannelMap channel_map(const NormStatistics& statistics, std::span<const float> gain,
                       std::span<const float> shift, double epsilon) {
  const size_t channels = statistics.mean.size();
  ADASSL_CHECK(gain.size() == channels && shift.size() == channels, "[norm_relu] expected ",
               channels, " gains and shifts, got ", gain.size(), " and ", shift.size());
  ChannelMap out{std::vector<float>(channels), std::vector<float>(channels)};
  for (size_t c = 0; c < channels; ++c) {
    const double scale = gain[c] / std::sqrt(statistics.variance[c] + epsilon);
    out.scale[c] = static_cast<float>(scale);
    out.offset[c] = static_cast<float>(shift[c] - scale * statistics.mean[c]);
  }
  return out;
}

void norm(const Rows& shape, const float* x, const ChannelMap& map, float* y) {
  map_blocks(shape, ADASSL_DISPATCH(norm_rows), x, map, nullptr, y);
}

void norm_relu(const Rows& shape, const float* x, const ChannelMap& map, float* y) {
  map_blocks(shape, ADASSL_DISPATCH(norm_relu_rows), x, map, nullptr, y);
}

void norm_add_relu(const Rows& shape, const float* x, const ChannelMap& map, const float* shortcut,
                   float* y) {
  map_blocks(shape, ADASSL_DISPATCH(norm_add_relu_rows), x, map, shortcut, y);
}

void norm_relu_backward(const Rows& shape, const float* x, const float* dy,
                        const NormStatistics& statistics, const ChannelMap& map, double epsilon,
                        const NormGradients& out) {
  const Cut cut(shape);
  BlockSums sums(cut);
  parallel_for(cut.count, [&](int64_t i) {
    ADASSL_DISPATCH(relu_gradient_sums)
    (cut.rows_of(i), cut.channels, x + cut.offset(i), dy + cut.offset(i), map.scale.data(),
     map.offset.data(), statistics.mean.data(), sums.first(i), sums.second(i));
  });
  const Gradient of = gradient_of(cut, sums, statistics, epsilon, out);
  parallel_for(cut.count, [&](int64_t i) {
    ADASSL_DISPATCH(relu_gradient_rows)
    (cut.rows_of(i), cut.channels, x + cut.offset(i), dy + cut.offset(i), map.scale.data(),
     map.offset.data(), statistics.mean.data(), of.slope.data(), of.level.data(),
     out.x + cut.offset(i));
  });
}

void norm_backward(const Rows& shape, const float* x, const float* dy,
                   const NormStatistics& statistics, const ChannelMap& map, double epsilon,
                   const NormGradients& out) {
  const Cut cut(shape);
  BlockSums sums(cut);
  parallel_for(cut.count, [&](int64_t i) {
    ADASSL_DISPATCH(plain_gradient_sums)
    (cut.rows_of(i), cut.channels, x + cut.offset(i), dy + cut.offset(i), statistics.mean.data(),
     sums.first(i), sums.second(i));
  });
  plain_gradient(cut, sums, x, dy, statistics, map, epsilon, out);
}

void norm_add_relu_backward(const Rows& shape, const float* x, const float* y, const float* dy,
                            const NormStatistics& statistics, const ChannelMap& map, double epsilon,
                            const NormGradients& out, float* dshortcut) {
  const Cut cut(shape);
  BlockSums sums(cut);
  parallel_for(cut.count, [&](int64_t i) {
    ADASSL_DISPATCH(joined_gradient_sums)
    (cut.rows_of(i), cut.channels, x + cut.offset(i), y + cut.offset(i), dy + cut.offset(i),
     statistics.mean.data(), sums.first(i), sums.second(i), dshortcut + cut.offset(i));
  });
  plain_gradient(cut, sums, x, dshortcut, statistics, map, epsilon, out);
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
