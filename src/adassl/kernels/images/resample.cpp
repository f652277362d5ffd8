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
#include "adassl/kernels/images/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Ints = hn::CappedTag<int32_t, 16>;
using Int = hn::Vec<Ints>;
using BytesOfInts = hn::Rebind<uint8_t, Ints>;
constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(Ints()));
constexpr int64_t kParts = kSide / kLanes;  // vectors for one column of sixteen rows

HWY_INLINE Int load_bytes(const uint8_t* from) {
  return hn::PromoteTo(Ints(), hn::LoadU(BytesOfInts(), from));
}

HWY_INLINE Int one_half() { return hn::Set(Ints(), 1 << (Taps::kBits - 1)); }

/// Clips the sum.
HWY_INLINE void store_sum(Int sum, uint8_t* to) {
  hn::StoreU(hn::DemoteTo(BytesOfInts(), hn::ShiftRight<Taps::kBits>(sum)), BytesOfInts(), to);
}

/// Sixteen rows side by side: out[j * 16 + r] is byte j of row r.
HWY_INLINE void gather_rows(const uint8_t* const (&row)[kSide], int64_t bytes, uint8_t* out) {
  const uint8_t* at[kSide];
  int64_t j = 0;
  for (; j + kWide <= bytes; j += kWide) {
    for (int64_t r = 0; r < kSide; ++r) at[r] = row[r] + j;
    columns_of(at, out + j * kSide);
  }
  if (j == bytes) return;
  uint8_t tail[kSide][kWide];  // nothing may be read beyond the last bytes of an image
  for (int64_t r = 0; r < kSide; ++r) {
    std::memcpy(tail[r], row[r] + j, static_cast<size_t>(bytes - j));
    std::memset(tail[r] + (bytes - j), 0, static_cast<size_t>(kWide - (bytes - j)));
    at[r] = tail[r];
  }
  columns_of(at, out + j * kSide);
}

/// One output of sixteen rows, all three colours; `in` is its first input.
HWY_INLINE void filter_pixel(const uint8_t* in, const int32_t* weights, int64_t count,
                             uint8_t* (&out)[3]) {
  Int sums[3][kParts];
  for (auto& colour : sums) {
    for (Int& sum : colour) sum = one_half();
  }
  HWY_UNROLL(4)
  for (int64_t k = 0; k < count; ++k) {
    const Int weight = hn::Set(Ints(), weights[k]);
    for (int64_t c = 0; c < 3; ++c) {
      for (int64_t p = 0; p < kParts; ++p) {
        const Int value = load_bytes(in + (3 * k + c) * kSide + p * kLanes);
        sums[c][p] = hn::Add(sums[c][p], hn::Mul(value, weight));
      }
    }
  }
  for (int64_t c = 0; c < 3; ++c) {
    for (int64_t p = 0; p < kParts; ++p) store_sum(sums[c][p], out[c] + p * kLanes);
  }
}

/// Sixteen rows, of which `count` are stored; `side` is room for the rows side by side.
void filter_block(const uint8_t* const (&row)[kSide], int64_t count, const Taps& taps,
                  uint8_t* side, uint8_t* out, int64_t plane) {
  const int64_t outputs = taps.outputs();
  gather_rows(row, 3 * taps.inputs, side);
  alignas(64) uint8_t columns[3][kWide * kSide];  // of sixteen rows
  alignas(64) uint8_t spare[kSide][kWide];
  if (outputs % kWide != 0) std::memset(columns, 0, sizeof columns);
  for (int64_t i = 0; i < outputs; i += kWide) {
    const int64_t wide = std::min(kWide, outputs - i);
    for (int64_t k = 0; k < wide; ++k) {
      uint8_t* to[3] = {columns[0] + k * kSide, columns[1] + k * kSide, columns[2] + k * kSide};
      filter_pixel(side + int64_t{taps.first[static_cast<size_t>(i + k)]} * 3 * kSide,
                   taps.weights.data() + (i + k) * taps.count, taps.count, to);
    }
    for (int64_t c = 0; c < 3; ++c) {
      uint8_t* const to = out + c * plane + i;
      uint8_t* rows[kSide];
      for (int64_t r = 0; r < kSide; ++r) {
        rows[r] = wide == kWide && r < count ? to + r * outputs : spare[r];
      }
      rows_of(columns[c], rows);
      for (int64_t r = 0; r < count && wide < kWide; ++r) {
        std::memcpy(to + r * outputs, spare[r], static_cast<size_t>(wide));
      }
    }
  }
}

void filter_rows(const uint8_t* in, int64_t stride, int64_t rows, const Taps& taps, uint8_t* side,
                 uint8_t* out) {
  const uint8_t* row[kSide];
  for (int64_t y = 0; y < rows; y += kSide) {
    for (int64_t r = 0; r < kSide; ++r) row[r] = in + std::min(y + r, rows - 1) * stride;
    filter_block(row, std::min(kSide, rows - y), taps, side, out + y * taps.outputs(),
                 rows * taps.outputs());
  }
}

/// kVectors vectors of one output row.
template <int kVectors>
HWY_INLINE void filter_column(const uint8_t* in, int64_t width, const int32_t* weights,
                              int64_t count, uint8_t* out) {
  Int sums[kVectors];
  for (Int& sum : sums) sum = one_half();
  HWY_UNROLL(4)
  for (int64_t k = 0; k < count; ++k) {
    const Int weight = hn::Set(Ints(), weights[k]);
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = hn::Add(sums[v], hn::Mul(load_bytes(in + k * width + v * kLanes), weight));
    }
  }
  for (int v = 0; v < kVectors; ++v) store_sum(sums[v], out + v * kLanes);
}

void filter_columns(const uint8_t* in, int64_t width, const Taps& taps, uint8_t* out) {
  for (int64_t y = 0; y < taps.outputs(); ++y) {
    const uint8_t* from = in + taps.first[static_cast<size_t>(y)] * width;
    const int32_t* weights = taps.weights.data() + y * taps.count;
    uint8_t* to = out + y * width;
    int64_t x = 0;
    for (; x + 4 * kLanes <= width; x += 4 * kLanes) {
      filter_column<4>(from + x, width, weights, taps.count, to + x);
    }
    for (; x + kLanes <= width; x += kLanes) {
      filter_column<1>(from + x, width, weights, taps.count, to + x);
    }
    for (; x < width; ++x) {
      int32_t sum = 1 << (Taps::kBits - 1);
      for (int64_t k = 0; k < taps.count; ++k) sum += weights[k] * from[k * width + x];
      to[x] = static_cast<uint8_t>(std::clamp(sum >> Taps::kBits, 0, 255));
    }
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
  ADASSL_CHECK(taps.count >= 1 && taps.weights.size() == outputs * static_cast<size_t>(taps.count),
               "[resample] expected weights for ", outputs, " outputs, got ", taps.weights.size());
  for (const int32_t first : taps.first) {
    ADASSL_CHECK(first >= 0 && first + taps.count <= taps.inputs,
                 "[resample] expected taps within ", taps.inputs, " inputs, got ", taps.count,
                 " from ", first, " on");
  }
}

}  // namespace

void resample_rows(const uint8_t* in, int64_t stride, int64_t rows, const Taps& taps,
                   std::span<uint8_t> out) {
  require_sound(taps);
  ADASSL_CHECK(out.size() == static_cast<size_t>(3 * rows * taps.outputs()),
               "[resample] expected room for 3 planes of ", rows, " rows, got ", out.size(),
               " bytes");
  constexpr int64_t kRows = 16, kColumns = 64;  // of a block, at most
  const auto size =
      static_cast<size_t>((3 * taps.inputs + kColumns - 1) / kColumns * kColumns * kRows);
  thread_local std::vector<uint8_t> side;  // kept: it is needed for every image
  side.resize(std::max(side.size(), size));
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
