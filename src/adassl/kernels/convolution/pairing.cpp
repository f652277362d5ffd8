// Copies pixels [pixel][channel] into pairs of pixels, [pair][channel][2] or [channel][pair][2],
// for the weight gradient, whose sums run over pixels.

#include "adassl/kernels/convolution/pairing.h"

#include <algorithm>

// simd.h says for which targets, before foreach_target.h asks.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/convolution/pairing.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// to[channel][pair], four by four where there are vectors of four.
void transpose_pairs(const Pairing& shape, const Bf16* from, uint32_t* to) {
  int64_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<uint32_t, 4> d;
  const hn::Rebind<uint16_t, decltype(d)> halves;
  const hn::RepartitionToWide<decltype(d)> wide;
  for (; 2 * (k + 4) <= shape.pixels; k += 4) {
    const Bf16* at = from + 2 * k * shape.step;
    const auto row = [&](int64_t pair, int64_t c) HWY_ATTR {
      const Bf16* first = at + 2 * pair * shape.step + c;
      const auto upper = hn::PromoteTo(d, hn::LoadU(halves, first + shape.step));
      return hn::Or(hn::PromoteTo(d, hn::LoadU(halves, first)), hn::ShiftLeft<16>(upper));
    };
    int64_t c = 0;
    for (; c + 4 <= shape.channels; c += 4) {
      const auto r0 = row(0, c), r1 = row(1, c), r2 = row(2, c), r3 = row(3, c);
      const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, r0, r1));
      const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, r2, r3));
      const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, r0, r1));
      const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, r2, r3));
      uint32_t* column = to + c * shape.pairs + k;
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)), d, column);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)), d, column + shape.pairs);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)), d,
                 column + 2 * shape.pairs);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)), d,
                 column + 3 * shape.pairs);
    }
    for (; c < shape.channels; ++c) {
      for (int64_t i = 0; i < 4; ++i) {
        const Bf16* first = at + 2 * i * shape.step + c;
        to[c * shape.pairs + k + i] = *first | uint32_t{first[shape.step]} << 16;
      }
    }
  }
#endif
  for (; 2 * k < shape.pixels; ++k) {
    const Bf16* first = from + 2 * k * shape.step;
    const bool whole = 2 * k + 1 < shape.pixels;
    for (int64_t c = 0; c < shape.channels; ++c) {
      to[c * shape.pairs + k] = first[c] | (whole ? uint32_t{first[shape.step + c]} << 16 : 0U);
    }
  }
  for (int64_t c = 0; c < shape.width; ++c) {
    const int64_t filled = c < shape.channels ? k : 0;
    std::fill(to + c * shape.pairs + filled, to + (c + 1) * shape.pairs, 0U);
  }
}

/// Channels c, c + 1, ... of pair k to their tiles.
template <class D>
HWY_INLINE void store_pairs(D d, hn::Vec<D> pairs, const Pairing& shape, int64_t k, int64_t c,
                            uint32_t* to) {
  const int64_t at = c / shape.tile * (shape.tile_step / 2) + k * shape.tile + c % shape.tile;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(d) == 16) {
    if (shape.tile == 8) {
      const hn::Half<D> half;
      hn::StoreU(hn::LowerHalf(half, pairs), half, to + at);
      hn::StoreU(hn::UpperHalf(half, pairs), half, to + at + shape.tile_step / 2);
      return;
    }
  }
#endif
  hn::StoreU(pairs, d, to + at);
}

void pair_all(const Pairing& shape, const Bf16* from, Bf16* to) {
  auto* words = reinterpret_cast<uint32_t*>(to);
  if (shape.transposed) return transpose_pairs(shape, from, words);
  const hn::CappedTag<uint32_t, 16> d;
  const hn::CappedTag<uint32_t, 8> eight;  // the narrowest tile
  const hn::CappedTag<uint32_t, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t k = 0; k < shape.pairs; ++k) {
    const Bf16* first = 2 * k < shape.pixels ? from + 2 * k * shape.step : nullptr;
    const Bf16* second = 2 * k + 1 < shape.pixels ? first + shape.step : nullptr;
    const auto both = [&](auto tag, int64_t c) HWY_ATTR {
      const hn::Rebind<uint16_t, decltype(tag)> halves;
      const auto lower = hn::PromoteTo(tag, hn::LoadU(halves, first + c));
      if (second == nullptr) return lower;
      return hn::Or(lower, hn::ShiftLeft<16>(hn::PromoteTo(tag, hn::LoadU(halves, second + c))));
    };
    const int64_t channels = first == nullptr ? 0 : shape.channels;
    int64_t c = 0;
    for (; c + lanes <= channels; c += lanes) store_pairs(d, both(d, c), shape, k, c, words);
    const auto rest = [&](auto tag) HWY_ATTR {
      const auto wide = static_cast<int64_t>(hn::Lanes(tag));
      if (c >= channels || c + wide > shape.width) return;
      const auto here = hn::FirstN(tag, static_cast<size_t>(channels - c));
      store_pairs(tag, hn::IfThenElseZero(here, both(tag, c)), shape, k, c, words);
      c += wide;
    };
    rest(d);
    rest(eight);
    for (; c < channels; ++c) store_pairs(one, both(one, c), shape, k, c, words);
    for (; c < shape.width; ++c) store_pairs(one, hn::Zero(one), shape, k, c, words);
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {

HWY_EXPORT(pair_all);

void pair_pixels(const Pairing& shape, const Bf16* from, Bf16* to) {
  ADASSL_DISPATCH(pair_all)(shape, from, to);
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
