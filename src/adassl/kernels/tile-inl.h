// The two small matrix products on which the MLP and the contrastive softmax are built. Included
// once for each instruction set, hence no #pragma once.
//
// Samples lie in blocks of 64, feature-major: block[feature][sample]. A vector holds samples rather
// than features, so no lanes are wasted, whatever the width of a layer.
#if defined(ADASSL_KERNELS_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASSL_KERNELS_TILE_INL_H_
#undef ADASSL_KERNELS_TILE_INL_H_
#else
#define ADASSL_KERNELS_TILE_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

#include "adassl/kernels/blocks.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using F = hn::CappedTag<float, 16>;
using Vec = hn::Vec<F>;
constexpr F kF;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(kF));
static_assert(kLanes == 1 || kLanes == 4 || kLanes == 8 || kLanes == 16);

// A tile has 6 x 4 accumulators on machines with 32 vector registers and 6 x 2 on those with 16.
constexpr int kVectors = kLanes == 16 ? 4 : 2;
constexpr int64_t kStride = kVectors * kLanes;

/// y[m][j] = init(m, j) + sum_c panel[c][m] x[c][j] for kM rows and the 64 samples of a block;
/// `finish(m, j, vector)` receives the sums.
template <int kM, class Init, class Finish>
HWY_INLINE void product_tile(int64_t depth, const float* HWY_RESTRICT panel,
                             const float* HWY_RESTRICT x, int64_t x_stride, int64_t first_row,
                             const Init& init, const Finish& finish) {
  for (int64_t j = 0; j < kBlock; j += kStride) {
    Vec sum[kM][kVectors];
    for (int m = 0; m < kM; ++m) {
      for (int v = 0; v < kVectors; ++v) sum[m][v] = init(first_row + m, j + v * kLanes);
    }
    const float* HWY_RESTRICT from = x + j;
    const float* HWY_RESTRICT weights = panel;
    for (int64_t c = 0; c < depth; ++c) {
      Vec in[kVectors];
      for (int v = 0; v < kVectors; ++v) in[v] = hn::LoadU(kF, from + v * kLanes);
      for (int m = 0; m < kM; ++m) {
        const Vec weight = hn::Set(kF, weights[m]);
        for (int v = 0; v < kVectors; ++v) sum[m][v] = hn::MulAdd(weight, in[v], sum[m][v]);
      }
      from += x_stride;
      weights += kPanel;
    }
    for (int m = 0; m < kM; ++m) {
      for (int v = 0; v < kVectors; ++v) finish(first_row + m, j + v * kLanes, sum[m][v]);
    }
  }
}

/// The same product for any number of rows. `panels` has the layout of pack_panels.
template <class Init, class Finish>
HWY_INLINE void product(int64_t rows, int64_t depth, const float* panels, const float* x,
                        int64_t x_stride, const Init& init, const Finish& finish) {
  int64_t row = 0;
  for (; row + kPanel <= rows; row += kPanel) {
    product_tile<kPanel>(depth, panels + row * depth, x, x_stride, row, init, finish);
  }
  const float* last = panels + row * depth;
  switch (rows - row) {
    case 5:
      return product_tile<5>(depth, last, x, x_stride, row, init, finish);
    case 4:
      return product_tile<4>(depth, last, x, x_stride, row, init, finish);
    case 3:
      return product_tile<3>(depth, last, x, x_stride, row, init, finish);
    case 2:
      return product_tile<2>(depth, last, x, x_stride, row, init, finish);
    case 1:
      return product_tile<1>(depth, last, x, x_stride, row, init, finish);
    default:
      return;
  }
}

#if HWY_TARGET != HWY_SCALAR
/// Adds the upper half of a vector to its lower half until four lanes are left.
template <class D>
HWY_INLINE auto folded_to_four(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) <= 4) {
    return v;
  } else {
    const hn::Half<D> half;
    return folded_to_four(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
#endif

/// Sums the lanes of each of four vectors into to[0 .. 3]. With `add`, the sums are added to the
/// values there.
HWY_INLINE void sum_lanes(Vec a, Vec b, Vec c, Vec d, float* to, bool add) {
#if HWY_TARGET == HWY_SCALAR
  to[0] = (add ? to[0] : 0) + hn::GetLane(a);
  to[1] = (add ? to[1] : 0) + hn::GetLane(b);
  to[2] = (add ? to[2] : 0) + hn::GetLane(c);
  to[3] = (add ? to[3] : 0) + hn::GetLane(d);
#else
  const Vec ac = hn::Add(hn::InterleaveLower(kF, a, c), hn::InterleaveUpper(kF, a, c));
  const Vec bd = hn::Add(hn::InterleaveLower(kF, b, d), hn::InterleaveUpper(kF, b, d));
  const Vec abcd = hn::Add(hn::InterleaveLower(kF, ac, bd), hn::InterleaveUpper(kF, ac, bd));
  const hn::CappedTag<float, 4> four;
  const auto sums = folded_to_four(kF, abcd);
  hn::StoreU(add ? hn::Add(hn::LoadU(four, to), sums) : sums, four, to);
#endif
}

HWY_INLINE float sum_lanes(Vec v) { return hn::GetLane(hn::SumOfLanes(kF, v)); }
HWY_INLINE float max_lanes(Vec v) { return hn::GetLane(hn::MaxOfLanes(kF, v)); }

/// The layout of an operand: row r of block b starts at data + b * block_stride + r * row_stride.
struct Operand {
  const float* data;
  int64_t row_stride;
  int64_t block_stride;
};

/// g[m][n] = sum over samples of a[m][.] b[n][.], for kM x kN entries of g. With `add`, the sums
/// are added to g. There must be at least one block.
template <int kM, int kN>
HWY_INLINE void reduction_tile(int64_t blocks, Operand a, Operand b, float* g, int64_t g_stride,
                               bool add) {
  static_assert(kN <= 4);
  Vec sum[kM][4];
  for (int m = 0; m < kM; ++m) {
    for (int n = 0; n < 4; ++n) sum[m][n] = hn::Zero(kF);
  }
  const float* HWY_RESTRICT from_a = a.data;
  const float* HWY_RESTRICT from_b = b.data;
  do {  // with `while`, which allows for no blocks at all, the sums would pass through the stack
    for (int64_t j = 0; j < kBlock; j += kLanes) {
      Vec right[kN];
      for (int n = 0; n < kN; ++n) right[n] = hn::LoadU(kF, from_b + n * b.row_stride + j);
      for (int m = 0; m < kM; ++m) {
        const Vec left = hn::LoadU(kF, from_a + m * a.row_stride + j);
        for (int n = 0; n < kN; ++n) sum[m][n] = hn::MulAdd(left, right[n], sum[m][n]);
      }
    }
    from_a += a.block_stride;
    from_b += b.block_stride;
  } while (--blocks > 0);
  for (int m = 0; m < kM; ++m) {
    float* to = g + m * g_stride;
    if constexpr (kN == 4) {
      sum_lanes(sum[m][0], sum[m][1], sum[m][2], sum[m][3], to, add);
    } else {  // the neighbouring entries belong to other tiles
      float sums[4];
      sum_lanes(sum[m][0], sum[m][1], sum[m][2], sum[m][3], sums, false);
      for (int n = 0; n < kN; ++n) to[n] = (add ? to[n] : 0) + sums[n];
    }
  }
}

template <int kM>
HWY_INLINE void reduction_row(int64_t blocks, int64_t columns, Operand a, Operand b, float* g,
                              int64_t g_stride, bool add) {
  int64_t n = 0;
  for (; n + 4 <= columns; n += 4, b.data += 4 * b.row_stride) {
    reduction_tile<kM, 4>(blocks, a, b, g + n, g_stride, add);
  }
  switch (columns - n) {
    case 3:
      return reduction_tile<kM, 3>(blocks, a, b, g + n, g_stride, add);
    case 2:
      return reduction_tile<kM, 2>(blocks, a, b, g + n, g_stride, add);
    case 1:
      return reduction_tile<kM, 1>(blocks, a, b, g + n, g_stride, add);
    default:
      return;
  }
}

// 6 x 4 accumulators need more than 16 registers.
constexpr int kReducedRows = kLanes == 16 ? 6 : 3;

/// g[m][n] = sum over the samples of `blocks` blocks of a[m][.] b[n][.]. With `add`, the sums are
/// added to g.
inline void reduction(int64_t blocks, int64_t rows, int64_t columns, Operand a, Operand b, float* g,
                      int64_t g_stride, bool add) {
  for (; rows >= kReducedRows; rows -= kReducedRows) {
    reduction_row<kReducedRows>(blocks, columns, a, b, g, g_stride, add);
    a.data += kReducedRows * a.row_stride;
    g += kReducedRows * g_stride;
  }
  switch (rows) {
    case 5:
      return reduction_row<5>(blocks, columns, a, b, g, g_stride, add);
    case 4:
      return reduction_row<4>(blocks, columns, a, b, g, g_stride, add);
    case 3:
      return reduction_row<3>(blocks, columns, a, b, g, g_stride, add);
    case 2:
      return reduction_row<2>(blocks, columns, a, b, g, g_stride, add);
    case 1:
      return reduction_row<1>(blocks, columns, a, b, g, g_stride, add);
    default:
      return;
  }
}

/// Returns e^x for x <= 0, and 0 for x < -87, so that no result is denormal. The relative error is
/// below 1e-7 plus the rounding error of x itself. NaN stays NaN.
HWY_INLINE Vec exp_of_negative(Vec x) {
  const hn::RebindToSigned<F> integers;
  // Adding 1.5 * 2^23 rounds to an integer n. Adding the exponent bias as well leaves n + 127, the
  // biased exponent of 2^n, in the lowest bits.
  const Vec magic = hn::Set(kF, 12582912.0F + 127.0F);
  const Vec rounded = hn::MulAdd(x, hn::Set(kF, 1.44269504F), magic);
  const Vec n = hn::Sub(rounded, magic);
#if HWY_NATIVE_FMA
  const Vec r = hn::MulAdd(n, hn::Set(kF, -0.693147181F), x);  // error 2e-9 n: less than that of x
#else
  Vec r = hn::MulAdd(n, hn::Set(kF, -0.693359375F),
                     x);  // ln 2 in two parts; the first product is exact
  r = hn::MulAdd(n, hn::Set(kF, 2.12194440e-4F), r);
#endif
  // (e^r - 1 - r) / r^2 on [-ln 2 / 2, ln 2 / 2], fitted for the least relative error of e^r.
  Vec p = hn::Set(kF, 0.001381459878757596F);
  p = hn::MulAdd(p, r, hn::Set(kF, 0.008368716575205326F));
  p = hn::MulAdd(p, r, hn::Set(kF, 0.04166838899254799F));
  p = hn::MulAdd(p, r, hn::Set(kF, 0.1666652113199234F));
  p = hn::MulAdd(p, r, hn::Set(kF, 0.4999999403953552F));
  const Vec e = hn::MulAdd(hn::MulAdd(p, r, hn::Set(kF, 1.0F)), r, hn::Set(kF, 1.0F));
  const Vec power = hn::BitCast(kF, hn::ShiftLeft<23>(hn::BitCast(integers, rounded)));
  // Multiplies by 2^n. Adding n to the exponent bits instead would turn NaN into a number.
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(kF, -87.0F)), hn::Mul(e, power));
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
