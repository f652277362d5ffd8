// Included once for each instruction set, hence no #pragma once.
#if defined(ADASSL_KERNELS_IMAGES_PLANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASSL_KERNELS_IMAGES_PLANES_INL_H
#undef ADASSL_KERNELS_IMAGES_PLANES_INL_H
#else
#define ADASSL_KERNELS_IMAGES_PLANES_INL_H
#endif

#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

/// Calls work(planes) for each `lanes` values of the planes; the rest goes through a buffer.
template <int kPlanes, class Work>
HWY_INLINE void over_planes(uint8_t* const (&planes)[kPlanes], int64_t count, int64_t lanes,
                            const Work& work) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    uint8_t* at[kPlanes];
    for (int p = 0; p < kPlanes; ++p) at[p] = planes[p] + i;
    work(at);
  }
  if (i >= count) return;
  uint8_t rest[kPlanes][256] = {};  // more than any vector's lanes
  uint8_t* at[kPlanes];
  const auto left = static_cast<size_t>(count - i);
  for (int p = 0; p < kPlanes; ++p) {
    at[p] = rest[p];
    std::memcpy(rest[p], planes[p] + i, left);
  }
  work(at);
  for (int p = 0; p < kPlanes; ++p) std::memcpy(planes[p] + i, rest[p], left);
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
