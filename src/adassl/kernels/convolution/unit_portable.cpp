// c[row][column] = sum over taps and pairs k of a[row][2k] b[k][column][0] + a[row][2k+1]
// b[k][column][1] by vectors of float32: each bfloat16 is widened, and products are added by fused
// multiply-adds.

#include <cstring>

#include "adassl/kernels/convolution/unit.h"

// simd.h says for which targets, before foreach_target.h asks.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/convolution/unit_portable.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
constexpr F kF;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(kF));
// Sums of a pass: 8 x 2 vectors where there are 32 registers, else 2 x 4 or, with four lanes, 1
// x 8.
constexpr int kPassRows = kLanes == 16 ? 8 : kLanes == 8 ? 2 : 1;
constexpr int kVectors = kColumns / kLanes <= 8 ? kColumns / kLanes : 8;
constexpr int64_t kPassColumns = int64_t{kVectors} * kLanes;

using Words = hn::RebindToUnsigned<F>;

HWY_INLINE hn::Vec<F> lower(hn::Vec<Words> both) {
  return hn::BitCast(kF, hn::ShiftLeft<16>(both));
}
HWY_INLINE hn::Vec<F> upper(hn::Vec<Words> both) {
  return hn::BitCast(kF, hn::And(both, hn::Set(Words(), 0xFFFF0000U)));
}
HWY_INLINE uint32_t pair_at(const Bf16* from) {
  uint32_t pair = 0;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

/// Rows a[0], ..., a[kRows - 1] against kPassColumns columns.
template <int kRows>
HWY_INLINE void pass(const Product& shape, const Bf16* const* a, const Bf16* b, float* const* c) {
  const Words words;
  hn::Vec<F> sum[kRows][kVectors];
  for (auto& row : sum) {
    for (auto& vector : row) vector = hn::Zero(kF);
  }
  for (const Tap& tap : shape.taps) {
    const Bf16* right = b + tap.b;
    for (int64_t k = 0; k < shape.pairs; ++k, right += 2 * kColumns) {
      const int64_t at = tap.a + k * shape.a_pair;
      const auto* both = reinterpret_cast<const uint32_t*>(right);
      // First all lower halves, then all upper ones: with both at once registers would run out.
      hn::Vec<F> in[kVectors];
      for (int v = 0; v < kVectors; ++v) in[v] = lower(hn::LoadU(words, both + v * kLanes));
      for (int m = 0; m < kRows; ++m) {
        const auto factor = lower(hn::Set(words, pair_at(a[m] + at)));
        for (int v = 0; v < kVectors; ++v) sum[m][v] = hn::MulAdd(factor, in[v], sum[m][v]);
      }
      for (int v = 0; v < kVectors; ++v) in[v] = upper(hn::LoadU(words, both + v * kLanes));
      for (int m = 0; m < kRows; ++m) {
        const auto factor = upper(hn::Set(words, pair_at(a[m] + at)));
        for (int v = 0; v < kVectors; ++v) sum[m][v] = hn::MulAdd(factor, in[v], sum[m][v]);
      }
    }
  }
  for (int m = 0; m < kRows; ++m) {
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[m][v], kF, c[m] + v * kLanes);
  }
}

void product(const Product& shape, const Bf16* a0, const Bf16* a1, const Bf16* b, float* c) {
  const int64_t rows = 2 * shape.rows;
  const auto left = [&](int64_t row) {
    return row < shape.rows ? a0 + row * shape.a_row : a1 + (row - shape.rows) * shape.a_row;
  };
  for (int64_t column = 0; column < kColumns; column += kPassColumns) {
    const Bf16* a[kPassRows];
    float* to[kPassRows];
    int64_t row = 0;
    const auto aim = [&](int64_t count) {
      for (int64_t m = 0; m < count; ++m) {
        a[m] = left(row + m);
        to[m] = c + (row + m) * kColumns + column;
      }
    };
    for (; row + kPassRows <= rows; row += kPassRows) {
      aim(kPassRows);
      pass<kPassRows>(shape, a, b + 2 * column, to);
    }
    for (; row < rows; row += 1) {
      aim(1);
      pass<1>(shape, a, b + 2 * column, to);
    }
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(product);

void dispatched(const Product& shape, const Bf16* a0, const Bf16* a1, const Bf16* b, float* c) {
  ADASSL_DISPATCH(product)(shape, a0, a1, b, c);
}

}  // namespace

const Unit& portable_unit() {
  static constexpr Unit kUnit = {"float32", 4,          1, false, [](int64_t, int64_t) {},
                                 [] {},     &dispatched};
  return kUnit;
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
