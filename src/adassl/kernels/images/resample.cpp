// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/images/resample.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "adassl/kernels/images/resample.h"

#include <algorithm>
#include <cstring>

#include "adassl/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
constexpr int64_t kBlock = 16;  // rows and columns of a transposed block
using Ints = hn::CappedTag<int32_t, 16>;
using Int = hn::Vec<Ints>;
using BytesOfInts = hn::Rebind<uint8_t, Ints>;
constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(Ints()));
constexpr int64_t kParts = kBlock / kLanes;  // vectors for one column of a block

/// Column j of sixteen rows becomes row j of `out`.
HWY_INLINE void transpose(const uint8_t* const (&rows)[kBlock], uint8_t* out) {
#if HWY_TARGET == HWY_SCALAR
  for (int64_t j = 0; j < kBlock; ++j) {
    for (int64_t r = 0; r < kBlock; ++r) out[j * kBlock + r] = rows[r][j];
  }
#else
  const hn::FixedTag<uint8_t, 16> d;
  hn::Vec<decltype(d)> now[kBlock];
  hn::Vec<decltype(d)> next[kBlock];
  for (int64_t i = 0; i < kBlock; ++i) now[i] = hn::LoadU(d, rows[i]);
  for (int round = 0; round < 4; ++round) {  // each moves one bit of the column to the row
    for (int64_t i = 0; i < kBlock / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, now[i], now[i + 8]);
      next[2 * i + 1] = hn::InterleaveUpper(d, now[i], now[i + 8]);
    }
    for (int64_t i = 0; i < kBlock; ++i) now[i] = next[i];
  }
  for (int64_t i = 0; i < kBlock; ++i) hn::StoreU(now[i], d, out + i * kBlock);
#endif
}

/// Sixteen rows side by side: out[j * 16 + r] is byte j of row r.
HWY_INLINE void gather_rows(const uint8_t* const (&row)[kBlock], int64_t bytes, uint8_t* out) {
  const uint8_t* at[kBlock];
  int64_t j = 0;
  for (; j + kBlock <= bytes; j += kBlock) {
    for (int64_t r = 0; r < kBlock; ++r) at[r] = row[r] + j;
    transpose(at, out + j * kBlock);
  }
  if (j == bytes) return;
  uint8_t tail[kBlock][kBlock] = {};  // nothing may be read beyond the last bytes of an image
  for (int64_t r = 0; r < kBlock; ++r) {
    std::memcpy(tail[r], row[r] + j, static_cast<size_t>(bytes - j));
    at[r] = tail[r];
  }
  transpose(at, out + j * kBlock);
}

/// One output of sixteen rows, all three colours; `in` is its first input.
HWY_INLINE void filter_pixel(const uint8_t* in, const int32_t* weights, int64_t used,
                             uint8_t* (&out)[3]) {
  const Ints d;
  const BytesOfInts d8;
  Int sums[3][kParts];
  for (auto& colour : sums) {
    for (Int& sum : colour) sum = hn::Set(d, 1 << (Taps::kBits - 1));
  }
  for (int64_t k = 0; k < used; ++k) {
    const Int weight = hn::Set(d, weights[k]);
    for (int64_t c = 0; c < 3; ++c) {
      for (int64_t p = 0; p < kParts; ++p) {
        const Int value = hn::PromoteTo(d, hn::LoadU(d8, in + (3 * k + c) * kBlock + p * kLanes));
        sums[c][p] = hn::Add(sums[c][p], hn::Mul(value, weight));
      }
    }
  }
  for (int64_t c = 0; c < 3; ++c) {
    for (int64_t p = 0; p < kParts; ++p) {
      hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<Taps::kBits>(sums[c][p])), d8,
                 out[c] + p * kLanes);
    }
  }
}

/// Sixteen rows, of which `count` are stored; `side` is room for the rows side by side.
void filter_block(const uint8_t* const (&row)[kBlock], int64_t count, const Taps& taps,
                  uint8_t* side, uint8_t* out, int64_t plane) {
  const int64_t outputs = taps.outputs();
  gather_rows(row, 3 * taps.inputs, side);
  uint8_t columns[3][kBlock][kBlock] = {};  // of sixteen rows
  uint8_t rows[kBlock * kBlock];
  for (int64_t i = 0; i < outputs; i += kBlock) {
    const int64_t wide = std::min(kBlock, outputs - i);
    for (int64_t k = 0; k < wide; ++k) {
      const auto at = static_cast<size_t>(i + k);
      uint8_t* to[3] = {columns[0][k], columns[1][k], columns[2][k]};
      filter_pixel(side + int64_t{taps.first[at]} * 3 * kBlock,
                   taps.weights.data() + (i + k) * taps.most, taps.used[at], to);
    }
    for (int64_t c = 0; c < 3; ++c) {
      const uint8_t* from[kBlock];
      for (int64_t k = 0; k < kBlock; ++k) from[k] = columns[c][k];
      transpose(from, rows);
      for (int64_t r = 0; r < count; ++r) {
        std::memcpy(out + c * plane + r * outputs + i, rows + r * kBlock,
                    static_cast<size_t>(wide));
      }
    }
  }
}

void filter_rows(const uint8_t* in, int64_t stride, int64_t rows, const Taps& taps, uint8_t* side,
                 uint8_t* out) {
  const uint8_t* row[kBlock];
  for (int64_t y = 0; y < rows; y += kBlock) {
    for (int64_t r = 0; r < kBlock; ++r) row[r] = in + std::min(y + r, rows - 1) * stride;
    filter_block(row, std::min(kBlock, rows - y), taps, side, out + y * taps.outputs(),
                 rows * taps.outputs());
  }
}

/// kVectors vectors of one output row.
template <int kVectors>
HWY_INLINE void filter_column(const uint8_t* in, int64_t width, const int32_t* weights,
                              int64_t used, uint8_t* out) {
  const Ints d;
  const BytesOfInts d8;
  Int sums[kVectors];
  for (Int& sum : sums) sum = hn::Set(d, 1 << (Taps::kBits - 1));
  for (int64_t k = 0; k < used; ++k) {
    const Int weight = hn::Set(d, weights[k]);
    for (int v = 0; v < kVectors; ++v) {
      const Int value = hn::PromoteTo(d, hn::LoadU(d8, in + k * width + v * kLanes));
      sums[v] = hn::Add(sums[v], hn::Mul(value, weight));
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<Taps::kBits>(sums[v])), d8, out + v * kLanes);
  }
}

/// What is left of a row after its whole vectors.
HWY_INLINE void filter_rest(const uint8_t* in, int64_t width, int64_t count, const int32_t* weights,
                            int64_t used, uint8_t* out) {
  for (int64_t x = 0; x < count; ++x) {
    int32_t sum = 1 << (Taps::kBits - 1);
    for (int64_t k = 0; k < used; ++k) sum += weights[k] * in[k * width + x];
    out[x] = static_cast<uint8_t>(std::clamp(sum >> Taps::kBits, 0, 255));
  }
}

void filter_columns(const uint8_t* in, int64_t width, const Taps& taps, uint8_t* out) {
  for (int64_t y = 0; y < taps.outputs(); ++y) {
    const auto at = static_cast<size_t>(y);
    const uint8_t* from = in + taps.first[at] * width;
    const int32_t* weights = taps.weights.data() + y * taps.most;
    uint8_t* to = out + y * width;
    int64_t x = 0;
    for (; x + 4 * kLanes <= width; x += 4 * kLanes) {
      filter_column<4>(from + x, width, weights, taps.used[at], to + x);
    }
    for (; x + kLanes <= width; x += kLanes) {
      filter_column<1>(from + x, width, weights, taps.used[at], to + x);
    }
    filter_rest(from + x, width, width - x, weights, taps.used[at], to + x);
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(filter_rows);
HWY_EXPORT(filter_columns);

void require_sound(const Taps& taps) {
  const auto outputs = static_cast<size_t>(taps.outputs());
  ADASSL_CHECK(taps.most >= 1 && taps.used.size() == outputs &&
                   taps.weights.size() == outputs * static_cast<size_t>(taps.most),
               "[resample] expected weights for ", outputs, " outputs, got ", taps.weights.size());
  for (size_t i = 0; i < outputs; ++i) {
    ADASSL_CHECK(taps.first[i] >= 0 && taps.used[i] >= 0 && taps.used[i] <= taps.most &&
                     taps.first[i] + int64_t{taps.used[i]} <= taps.inputs,
                 "[resample] expected taps within ", taps.inputs, " inputs, got ", taps.used[i],
                 " from ", taps.first[i], " on");
  }
}

}  // namespace

void resample_rows(const uint8_t* in, int64_t stride, int64_t rows, const Taps& taps,
                   std::span<uint8_t> out) {
  require_sound(taps);
  ADASSL_CHECK(out.size() == static_cast<size_t>(3 * rows * taps.outputs()),
               "[resample] expected room for 3 planes of ", rows, " rows, got ", out.size(),
               " bytes");
  constexpr int64_t kRows = 16;
  const int64_t bytes = (3 * taps.inputs + kRows - 1) / kRows * kRows;
  thread_local std::vector<uint8_t> side;  // kept: it is made for every image
  side.resize(std::max(side.size(), static_cast<size_t>(bytes * kRows)));
  ADASSL_DISPATCH(filter_rows)(in, stride, rows, taps, side.data(), out.data());
}

void resample_columns(std::span<const uint8_t> in, int64_t width, const Taps& taps,
                      std::span<uint8_t> out) {
  require_sound(taps);
  ADASSL_CHECK(in.size() == static_cast<size_t>(taps.inputs * width) &&
                   out.size() == static_cast<size_t>(taps.outputs() * width),
               "[resample] expected ", taps.inputs, " rows in and ", taps.outputs(), " out, got ",
               in.size(), " and ", out.size(), " bytes");
  ADASSL_DISPATCH(filter_columns)(in.data(), width, taps, out.data());
}

}  // namespace adassl::kernels
#endif
