// The two small matrix products that the MLP and the contrastive softmax are made of. Included once
// for each instruction set, hence no #pragma once.
//
// Samples lie in blocks of 64, feature-major: block[feature][sample]. Vectors hold samples, so no
// width of a layer wastes lanes, whatever it is.
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

// Accumulators of a tile: 6 x 4 vectors where there are 32 registers, 6 x 2 where there are 16.
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

/// The same for any number of rows; `panels` as pack_panels leaves them.
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
/// Upper halves are added to lower ones until four lanes are left.
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

/// The lanes of four vectors, summed: to[0 .. 3], on top of what is there where `add`.
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

/// Where the samples of an operand lie: block b, row r at data + b * block_stride + r * row_stride.
struct Operand {
  const float* data;
  int64_t row_stride;
  int64_t block_stride;
};

/// g[m][n] (+)= sum over samples of a[m][.] b[n][.], for kM x kN entries of g and at least one
/// block.
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
  do {  // not `while`: sums that might be zero after no blocks would go by way of the stack
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
    } else {  // the places beside these belong to others
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

/// g[m][n] (+)= sum over the samples of `blocks` blocks of a[m][.] b[n][.].
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

/// e^x for x <= 0, and 0 below e^-87: nothing denormal leaves. The relative error is below 1e-7,
/// with what a float32 of x's size is off by on top. What is not a number stays so.
HWY_INLINE Vec exp_of_negative(Vec x) {
  const hn::RebindToSigned<F> integers;
  // Adding 1.5 * 2^23 rounds to an integer n; the exponent's bias on top leaves n + 127, which is
  // 2^n's exponent, in the lowest bits.
  const Vec magic = hn::Set(kF, 12582912.0F + 127.0F);
  const Vec rounded = hn::MulAdd(x, hn::Set(kF, 1.44269504F), magic);
  const Vec n = hn::Sub(rounded, magic);
#if HWY_NATIVE_FMA
  const Vec r = hn::MulAdd(n, hn::Set(kF, -0.693147181F), x);  // off by 2e-9 n: less than x is
#else
  Vec r = hn::MulAdd(n, hn::Set(kF, -0.693359375F), x);  // in two parts, the first one exact
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
  // By a product, not in the exponent's bits: that would make a number of what is none.
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(kF, -87.0F)), hn::Mul(e, power));
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
