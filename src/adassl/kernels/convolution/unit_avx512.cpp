// c[row][column] = sum over taps and pairs k of a[row][2k] b[k][column][0] + a[row][2k+1]
// b[k][column][1] by VDPBF16PS: 8 rows x 32 columns of float32 sums in sixteen registers.

#include "adassl/kernels/convolution/unit.h"

#if defined(__x86_64__)

#include <cstring>

#include <immintrin.h>

#define ADASSL_AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))

namespace adassl::kernels {
namespace {

constexpr int kRows = 4;  // of a group: 8 x 2 sums, two vectors of b; enough to hide the latency

template <int kGroup>
ADASSL_AVX512_BF16 void multiply(const Product& shape, const Bf16* a0, const Bf16* a1,
                                 const Bf16* b, float* c) {
  __m512 sum[2 * kGroup][2];
#pragma GCC unroll 8
  for (int m = 0; m < 2 * kGroup; ++m) sum[m][0] = sum[m][1] = _mm512_setzero_ps();
  const int64_t a_row = shape.a_row;
  const int64_t a_pair = shape.a_pair;
  for (const Tap& tap : shape.taps) {
    const Bf16* left[2] = {a0 + tap.a, a1 + tap.a};
    const Bf16* right = b + tap.b;
    for (int64_t k = 0; k < shape.pairs; ++k) {
      const auto b0 = (__m512bh)_mm512_loadu_si512(right);
      const auto b1 = (__m512bh)_mm512_loadu_si512(right + kColumns);
#pragma GCC unroll 8
      for (int m = 0; m < 2 * kGroup; ++m) {
        int32_t pair = 0;
        std::memcpy(&pair, left[m / kGroup] + (m % kGroup) * a_row, sizeof pair);
        const auto both = (__m512bh)_mm512_set1_epi32(pair);
        sum[m][0] = _mm512_dpbf16_ps(sum[m][0], both, b0);
        sum[m][1] = _mm512_dpbf16_ps(sum[m][1], both, b1);
      }
      left[0] += a_pair;
      left[1] += a_pair;
      right += 2 * kColumns;
    }
  }
#pragma GCC unroll 8
  for (int m = 0; m < 2 * kGroup; ++m) {
    _mm512_storeu_ps(c + m * kColumns, sum[m][0]);
    _mm512_storeu_ps(c + m * kColumns + 16, sum[m][1]);
  }
}

void product(const Product& shape, const Bf16* a0, const Bf16* a1, const Bf16* b, float* c) {
  switch (shape.rows) {
    case 4:
      return multiply<4>(shape, a0, a1, b, c);
    case 3:
      return multiply<3>(shape, a0, a1, b, c);
    case 2:
      return multiply<2>(shape, a0, a1, b, c);
    default:
      return multiply<1>(shape, a0, a1, b, c);
  }
}

}  // namespace

const Unit& avx512_bf16_unit() {
  static constexpr Unit kUnit = {"avx512_bf16",           kRows, 1,       false,
                                 [](int64_t, int64_t) {}, [] {}, &product};
  return kUnit;
}

}  // namespace adassl::kernels

#endif
