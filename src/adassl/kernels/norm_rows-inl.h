// Included once for each instruction set, hence no #pragma once. The loops of norm_relu.cpp over
// the rows of one block: [rows, channels], all pointers at the block's first row, and one number
// for each channel in scale, offset, mean, slope, level, sum and sum_x.
#if defined(ADASSL_KERNELS_NORM_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASSL_KERNELS_NORM_ROWS_INL_H_
#undef ADASSL_KERNELS_NORM_ROWS_INL_H_
#else
#define ADASSL_KERNELS_NORM_ROWS_INL_H_
#endif

#include <algorithm>

#include <hwy/highway.h>

#include "adassl/kernels/over-inl.h"

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

/// y = after(scale x + offset, where).
template <class After>
HWY_INLINE void map_each(size_t rows, size_t channels, const float* x, const float* scale,
                         const float* offset, float* y, const After& after) {
  for (size_t i = 0; i < rows; ++i) {
    const size_t at = i * channels;
    over(channels, [&](auto d, size_t c) HWY_ATTR {
      const auto mapped =
          hn::MulAdd(hn::LoadU(d, x + at + c), hn::LoadU(d, scale + c), hn::LoadU(d, offset + c));
      hn::StoreU(after(d, mapped, at + c), d, y + at + c);
    });
  }
}

/// Not Max, which would hide a NaN behind a 0.
template <class D, class V>
HWY_INLINE V positive(D d, V value) {
  const auto zero = hn::Zero(d);
  return hn::IfThenElse(hn::Lt(value, zero), zero, value);
}

void norm_rows(size_t rows, size_t channels, const float* x, const float* scale,
               const float* offset, const float*, float* y) {
  map_each(rows, channels, x, scale, offset, y,
           [](auto, auto mapped, size_t) HWY_ATTR { return mapped; });
}

void norm_relu_rows(size_t rows, size_t channels, const float* x, const float* scale,
                    const float* offset, const float*, float* y) {
  map_each(rows, channels, x, scale, offset, y,
           [](auto d, auto mapped, size_t) HWY_ATTR { return positive(d, mapped); });
}

void norm_add_relu_rows(size_t rows, size_t channels, const float* x, const float* scale,
                        const float* offset, const float* shortcut, float* y) {
  map_each(rows, channels, x, scale, offset, y, [&](auto d, auto mapped, size_t at) HWY_ATTR {
    return positive(d, hn::Add(mapped, hn::LoadU(d, shortcut + at)));
  });
}

/// For each channel, over the rows: the sum of g and of g (x - mean), where g is gradient(x, place,
/// channel).
template <class Gradient>
HWY_INLINE void sum_each(size_t rows, size_t channels, const float* x, const float* mean,
                         float* sum, float* sum_x, const Gradient& gradient) {
  std::fill_n(sum, channels, 0.0F);
  std::fill_n(sum_x, channels, 0.0F);
  for (size_t i = 0; i < rows; ++i) {
    const size_t at = i * channels;
    over(channels, [&](auto d, size_t c) HWY_ATTR {
      const auto value = hn::LoadU(d, x + at + c);
      const auto g = gradient(d, value, at + c, c);
      hn::StoreU(hn::Add(hn::LoadU(d, sum + c), g), d, sum + c);
      const auto centred = hn::Sub(value, hn::LoadU(d, mean + c));
      hn::StoreU(hn::MulAdd(g, centred, hn::LoadU(d, sum_x + c)), d, sum_x + c);
    });
  }
}

/// Where the ReLU of norm_relu is open.
void relu_gradient_sums(size_t rows, size_t channels, const float* x, const float* dy,
                        const float* scale, const float* offset, const float* mean, float* sum,
                        float* sum_x) {
  sum_each(
      rows, channels, x, mean, sum, sum_x, [&](auto d, auto value, size_t at, size_t c) HWY_ATTR {
        const auto mapped = hn::MulAdd(value, hn::LoadU(d, scale + c), hn::LoadU(d, offset + c));
        return hn::IfThenElseZero(hn::Gt(mapped, hn::Zero(d)), hn::LoadU(d, dy + at));
      });
}

void plain_gradient_sums(size_t rows, size_t channels, const float* x, const float* g,
                         const float* mean, float* sum, float* sum_x) {
  sum_each(rows, channels, x, mean, sum, sum_x,
           [&](auto d, auto, size_t at, size_t) HWY_ATTR { return hn::LoadU(d, g + at); });
}

/// g = dy where y > 0 is written, too.
void joined_gradient_sums(size_t rows, size_t channels, const float* x, const float* y,
                          const float* dy, const float* mean, float* sum, float* sum_x, float* g) {
  sum_each(rows, channels, x, mean, sum, sum_x, [&](auto d, auto, size_t at, size_t) HWY_ATTR {
    const auto open = hn::Gt(hn::LoadU(d, y + at), hn::Zero(d));
    const auto gradient = hn::IfThenElseZero(open, hn::LoadU(d, dy + at));
    hn::StoreU(gradient, d, g + at);
    return gradient;
  });
}

/// dx = scale (g - slope (x - mean) - level).
template <class Gradient>
HWY_INLINE void gradient_each(size_t rows, size_t channels, const float* x, const float* scale,
                              const float* mean, const float* slope, const float* level, float* dx,
                              const Gradient& gradient) {
  for (size_t i = 0; i < rows; ++i) {
    const size_t at = i * channels;
    over(channels, [&](auto d, size_t c) HWY_ATTR {
      const auto value = hn::LoadU(d, x + at + c);
      const auto a = hn::LoadU(d, scale + c);
      const auto g = gradient(d, value, a, at + c, c);
      const auto centred = hn::Sub(value, hn::LoadU(d, mean + c));
      const auto rest =
          hn::NegMulAdd(hn::LoadU(d, slope + c), centred, hn::Sub(g, hn::LoadU(d, level + c)));
      hn::StoreU(hn::Mul(a, rest), d, dx + at + c);
    });
  }
}

void relu_gradient_rows(size_t rows, size_t channels, const float* x, const float* dy,
                        const float* scale, const float* offset, const float* mean,
                        const float* slope, const float* level, float* dx) {
  gradient_each(rows, channels, x, scale, mean, slope, level, dx,
                [&](auto d, auto value, auto a, size_t at, size_t c) HWY_ATTR {
                  const auto mapped = hn::MulAdd(value, a, hn::LoadU(d, offset + c));
                  return hn::IfThenElseZero(hn::Gt(mapped, hn::Zero(d)), hn::LoadU(d, dy + at));
                });
}

void plain_gradient_rows(size_t rows, size_t channels, const float* x, const float* g,
                         const float* scale, const float* mean, const float* slope,
                         const float* level, float* dx) {
  gradient_each(rows, channels, x, scale, mean, slope, level, dx,
                [&](auto d, auto, auto, size_t at, size_t)
                    HWY_ATTR { return hn::LoadU(d, g + at); });
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
