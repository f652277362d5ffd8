// Included once for each instruction set, hence no #pragma once.
#if defined(ADASSL_KERNELS_IMAGES_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASSL_KERNELS_IMAGES_TRANSPOSE_INL_H
#undef ADASSL_KERNELS_IMAGES_TRANSPOSE_INL_H
#else
#define ADASSL_KERNELS_IMAGES_TRANSPOSE_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

/// Rows of bytes become columns. Sixteen vectors hold sixteen rows; each of their blocks of sixteen
/// bytes is transposed by itself, so a vector of four blocks does the work of four.
HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
constexpr int64_t kSide = 16;  // rows and columns of a block

#if HWY_TARGET == HWY_SCALAR
constexpr int64_t kBlocks = 1;
#else
using SideBytes = hn::CappedTag<uint8_t, 64>;
using SideVector = hn::Vec<SideBytes>;
constexpr auto kBlocks = static_cast<int64_t>(hn::MaxLanes(SideBytes())) / kSide;

/// Byte j of vector r becomes byte r of vector j, in each block.
HWY_INLINE void transpose_blocks(SideVector (&now)[kSide]) {
  const SideBytes d;
  SideVector next[kSide];
  for (int round = 0; round < 4; ++round) {  // each moves one bit of the column to the row
    for (int64_t i = 0; i < kSide / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, now[i], now[i + 8]);
      next[2 * i + 1] = hn::InterleaveUpper(d, now[i], now[i + 8]);
    }
    for (int64_t i = 0; i < kSide; ++i) now[i] = next[i];
  }
}

/// Deals the bytes of a vector out to its blocks in turn: byte kBlocks * j + b becomes byte j of
/// block b. `gather` undoes that.
class Dealer {
 public:
  Dealer() {
    constexpr int64_t kPart = kSide / kBlocks;
    alignas(64) uint8_t in_block[kSide * kBlocks], back[kSide * kBlocks];
    alignas(64) int32_t across[4 * kBlocks];
    for (int64_t at = 0; at < kBlocks; ++at) {
      for (int64_t b = 0; b < kBlocks; ++b) {
        for (int64_t j = 0; j < kPart; ++j) {
          in_block[at * kSide + b * kPart + j] = static_cast<uint8_t>(kBlocks * j + b);
          back[at * kSide + kBlocks * j + b] = static_cast<uint8_t>(b * kPart + j);
        }
        constexpr int64_t kGroup = 4 / kBlocks;  // lanes that move together
        for (int64_t h = 0; h < kGroup; ++h) {
          across[at * 4 + b * kGroup + h] = static_cast<int32_t>(b * 4 + at * kGroup + h);
        }
      }
    }
    in_block_ = hn::Load(SideBytes(), in_block);
    back_ = hn::Load(SideBytes(), back);
    across_ = hn::SetTableIndices(Lanes(), across);
  }
  HWY_INLINE SideVector deal(SideVector v) const {
    if constexpr (kBlocks == 1) return v;
    return exchanged(hn::TableLookupBytes(v, in_block_));
  }
  HWY_INLINE SideVector gather(SideVector v) const {
    if constexpr (kBlocks == 1) return v;
    return hn::TableLookupBytes(exchanged(v), back_);
  }

 private:
  using Lanes = hn::RepartitionToWide<hn::RepartitionToWide<SideBytes> >;
  HWY_INLINE SideVector exchanged(SideVector v) const {
    return hn::BitCast(SideBytes(), hn::TableLookupLanes(hn::BitCast(Lanes(), v), across_));
  }
  SideVector in_block_, back_;
  decltype(hn::SetTableIndices(Lanes(), static_cast<const int32_t*>(nullptr))) across_;
};
#endif

/// Columns that are transposed at once.
constexpr int64_t kWide = kBlocks * kSide;

/// kWide columns of sixteen rows: out[j * 16 + r] is byte j of row r.
HWY_INLINE void columns_of(const uint8_t* const (&rows)[kSide], uint8_t* out) {
#if HWY_TARGET == HWY_SCALAR
  for (int64_t j = 0; j < kWide; ++j) {
    for (int64_t r = 0; r < kSide; ++r) out[j * kSide + r] = rows[r][j];
  }
#else
  const SideBytes d;
  const Dealer dealer;
  SideVector now[kSide];
  for (int64_t i = 0; i < kSide; ++i) now[i] = dealer.deal(hn::LoadU(d, rows[i]));
  transpose_blocks(now);
  for (int64_t i = 0; i < kSide; ++i) hn::StoreU(now[i], d, out + i * kWide);
#endif
}

/// The inverse: rows[r][j] is byte j * 16 + r of the columns.
HWY_INLINE void rows_of(const uint8_t* columns, uint8_t* const (&rows)[kSide]) {
#if HWY_TARGET == HWY_SCALAR
  for (int64_t j = 0; j < kWide; ++j) {
    for (int64_t r = 0; r < kSide; ++r) rows[r][j] = columns[j * kSide + r];
  }
#else
  const SideBytes d;
  const Dealer dealer;
  SideVector now[kSide];
  for (int64_t i = 0; i < kSide; ++i) now[i] = hn::LoadU(d, columns + i * kWide);
  transpose_blocks(now);
  for (int64_t i = 0; i < kSide; ++i) hn::StoreU(dealer.gather(now[i]), d, rows[i]);
#endif
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
