#include "adassl/kernels/norm_relu.h"

#include <algorithm>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"

// simd.h says for which targets, before foreach_target.h asks.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/norm_relu.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/over-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// sum[c] over the rows, and squares[c] about the rows' own mean: the second time they are in the
/// cache.
void block_moments(size_t rows, size_t channels, const float* x, float* sum, float* squares) {
  std::fill_n(sum, channels, 0.0F);
  std::fill_n(squares, channels, 0.0F);
  for (size_t i = 0; i < rows; ++i) {
    const float* row = x + i * channels;
    over(channels, [&](auto d, size_t c) HWY_ATTR {
      hn::StoreU(hn::Add(hn::LoadU(d, sum + c), hn::LoadU(d, row + c)), d, sum + c);
    });
  }
  const float share = 1.0F / static_cast<float>(rows);
  for (size_t i = 0; i < rows; ++i) {
    const float* row = x + i * channels;
    over(channels, [&](auto d, size_t c) HWY_ATTR {
      const auto centred =
          hn::NegMulAdd(hn::LoadU(d, sum + c), hn::Set(d, share), hn::LoadU(d, row + c));
      hn::StoreU(hn::MulAdd(centred, centred, hn::LoadU(d, squares + c)), d, squares + c);
    });
  }
}

void map_rows(size_t rows, size_t channels, const float* x, const float* scale, const float* offset,
              float* y) {
  for (size_t i = 0; i < rows; ++i) {
    const size_t at = i * channels;
    over(channels, [&](auto d, size_t c) HWY_ATTR {
      const auto mapped =
          hn::MulAdd(hn::LoadU(d, x + at + c), hn::LoadU(d, scale + c), hn::LoadU(d, offset + c));
      // Not Max, which would hide what is not a number behind a 0.
      const auto zero = hn::Zero(d);
      hn::StoreU(hn::IfThenElse(hn::Lt(mapped, zero), zero, mapped), d, y + at + c);
    });
  }
}

/// For each channel, over the rows: the sum of g = dy where the ReLU is open, and of g (x - mean).
void block_gradient_sums(size_t rows, size_t channels, const float* x, const float* dy,
                         const float* scale, const float* offset, const float* mean, float* sum,
                         float* sum_x) {
  std::fill_n(sum, channels, 0.0F);
  std::fill_n(sum_x, channels, 0.0F);
  for (size_t i = 0; i < rows; ++i) {
    const size_t at = i * channels;
    over(channels, [&](auto d, size_t c) HWY_ATTR {
      const auto value = hn::LoadU(d, x + at + c);
      const auto mapped = hn::MulAdd(value, hn::LoadU(d, scale + c), hn::LoadU(d, offset + c));
      const auto g = hn::IfThenElseZero(hn::Gt(mapped, hn::Zero(d)), hn::LoadU(d, dy + at + c));
      hn::StoreU(hn::Add(hn::LoadU(d, sum + c), g), d, sum + c);
      const auto centred = hn::Sub(value, hn::LoadU(d, mean + c));
      hn::StoreU(hn::MulAdd(g, centred, hn::LoadU(d, sum_x + c)), d, sum_x + c);
    });
  }
}

/// dx = scale (g - slope (x - mean) - level).
void gradient_rows(size_t rows, size_t channels, const float* x, const float* dy,
                   const float* scale, const float* offset, const float* mean, const float* slope,
                   const float* level, float* dx) {
  for (size_t i = 0; i < rows; ++i) {
    const size_t at = i * channels;
    over(channels, [&](auto d, size_t c) HWY_ATTR {
      const auto value = hn::LoadU(d, x + at + c);
      const auto a = hn::LoadU(d, scale + c);
      const auto mapped = hn::MulAdd(value, a, hn::LoadU(d, offset + c));
      const auto g = hn::IfThenElseZero(hn::Gt(mapped, hn::Zero(d)), hn::LoadU(d, dy + at + c));
      const auto centred = hn::Sub(value, hn::LoadU(d, mean + c));
      const auto rest =
          hn::NegMulAdd(hn::LoadU(d, slope + c), centred, hn::Sub(g, hn::LoadU(d, level + c)));
      hn::StoreU(hn::Mul(a, rest), d, dx + at + c);
    });
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(block_moments);
HWY_EXPORT(map_rows);
HWY_EXPORT(block_gradient_sums);
HWY_EXPORT(gradient_rows);

/// Rows cut into blocks of about 64 KB, by their shape alone.
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

void norm_relu(const Rows& shape, const float* x, const ChannelMap& map, float* y) {
  const Cut cut(shape);
  parallel_for(cut.count, [&](int64_t i) {
    ADASSL_DISPATCH(map_rows)
    (cut.rows_of(i), cut.channels, x + cut.offset(i), map.scale.data(), map.offset.data(),
     y + cut.offset(i));
  });
}

void norm_relu_backward(const Rows& shape, const float* x, const float* dy,
                        const NormStatistics& statistics, const ChannelMap& map, double epsilon,
                        const NormGradients& out) {
  const Cut cut(shape);
  BlockSums sums(cut);
  parallel_for(cut.count, [&](int64_t i) {
    ADASSL_DISPATCH(block_gradient_sums)
    (cut.rows_of(i), cut.channels, x + cut.offset(i), dy + cut.offset(i), map.scale.data(),
     map.offset.data(), statistics.mean.data(), sums.first(i), sums.second(i));
  });
  std::vector<float> slope(cut.channels), level(cut.channels);
  const auto rows = static_cast<double>(shape.rows);
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
    slope[c] = static_cast<float>(sum_x / variance / rows);
    level[c] = static_cast<float>(sum / rows);
  }
  parallel_for(cut.count, [&](int64_t i) {
    ADASSL_DISPATCH(gradient_rows)
    (cut.rows_of(i), cut.channels, x + cut.offset(i), dy + cut.offset(i), map.scale.data(),
     map.offset.data(), statistics.mean.data(), slope.data(), level.data(), out.x + cut.offset(i));
  });
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
