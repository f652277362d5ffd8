// Included once for each instruction set, hence no #pragma once.
#if defined(ADASSL_KERNELS_OVER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASSL_KERNELS_OVER_INL_H_
#undef ADASSL_KERNELS_OVER_INL_H_
#else
#define ADASSL_KERNELS_OVER_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

/// Calls step(tag, i) to process elements 0 ... count - 1: whole vectors of floats first, then the
/// remaining elements one by one.
template <class Index, class Step>
HWY_INLINE void over(Index count, const Step& step) {
  const hwy::HWY_NAMESPACE::ScalableTag<float> d;
  const auto lanes = static_cast<Index>(hwy::HWY_NAMESPACE::Lanes(d));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) step(d, i);
  for (; i < count; ++i) step(hwy::HWY_NAMESPACE::CappedTag<float, 1>(), i);
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
