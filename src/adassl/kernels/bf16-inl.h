// Included once for each instruction set, hence no #pragma once.
#if defined(ADASSL_KERNELS_BF16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASSL_KERNELS_BF16_INL_H_
#undef ADASSL_KERNELS_BF16_INL_H_
#else
#define ADASSL_KERNELS_BF16_INL_H_
#endif

#include <hwy/highway.h>

#include "adassl/kernels/convolution/unit.h"

// bfloat16 numbers in vectors of float32. A number is widened, as its 16 bits are the upper half of
// a float32, and rounded to the nearest, ties to even:
//   round(v) = the upper half of (bits(v) + 0x7FFF + bit 16 of v)

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Words = hn::RebindToUnsigned<D>;
template <class D>
using Bf16Buffer = hn::Rebind<uint16_t, D>;

/// The numbers, widened.
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const Bf16* from) {
  return hn::BitCast(
      d, hn::ShiftLeft<16>(hn::PromoteTo(Words<D>(), hn::LoadU(Bf16Buffer<D>(), from))));
}

/// The words whose upper halves are the rounded numbers.
template <class D>
HWY_INLINE hn::Vec<Words<D>> rounded(D /*d*/, hn::Vec<D> v) {
  const Words<D> words;
  const auto bits = hn::BitCast(words, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const auto up = hn::Add(hn::Add(bits, hn::Set(words, 0x7FFF)), odd);
  const auto quiet = hn::Or(bits, hn::Set(words, 0x00400000));
  // The sum would turn some of what is not a number into infinity, or zero.
  return hn::IfThenElse(hn::RebindMask(words, hn::Eq(v, v)), up, quiet);
}

/// The rounded numbers themselves.
template <class D>
HWY_INLINE hn::Vec<D> upper(D d, hn::Vec<Words<D>> words) {
  return hn::BitCast(d, hn::And(words, hn::Set(Words<D>(), 0xFFFF0000U)));
}

template <class D>
HWY_INLINE void store_upper(D d, hn::Vec<Words<D>> words, Bf16* to) {
  if constexpr (hn::MaxLanes(d) == 1) {
    *to = static_cast<Bf16>(hn::GetLane(words) >> 16);
  } else {
    const hn::Rebind<int32_t, D> integers;
    // Sign-extended, so that the signed demotion keeps all bits.
    const auto wide = hn::ShiftRight<16>(hn::BitCast(integers, words));
    const hn::Rebind<int16_t, D> shorts;
    hn::StoreU(hn::BitCast(Bf16Buffer<D>(), hn::DemoteTo(shorts, wide)), Bf16Buffer<D>(), to);
  }
}

template <class D>
HWY_INLINE void store(D d, hn::Vec<D> v, Bf16* to) {
  store_upper(d, rounded(d, v), to);
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
