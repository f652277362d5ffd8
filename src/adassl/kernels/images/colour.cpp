// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/images/colour.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "adassl/kernels/images/colour.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/kernels/images/planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Ints = hn::ScalableTag<int32_t>;
using Int = hn::Vec<Ints>;
using Bytes = hn::Rebind<uint8_t, Ints>;

HWY_INLINE Int load(const uint8_t* from) { return hn::PromoteTo(Ints(), hn::LoadU(Bytes(), from)); }

HWY_INLINE void store(Int values, uint8_t* to) {  // clips to 0 ... 255
  hn::StoreU(hn::DemoteTo(Bytes(), values), Bytes(), to);
}

HWY_INLINE Int grey_of(Int red, Int green, Int blue) {
  const Ints d;
  const Int sum =
      hn::Add(hn::Add(hn::Mul(red, hn::Set(d, 19595)), hn::Mul(green, hn::Set(d, 38470))),
              hn::Add(hn::Mul(blue, hn::Set(d, 7471)), hn::Set(d, 1 << 15)));
  return hn::ShiftRight<16>(sum);
}

void grey_all(uint8_t* red, uint8_t* green, uint8_t* blue, int64_t count) {
  over_planes<3>({red, green, blue}, count, static_cast<int64_t>(hn::Lanes(Ints())),
                 [&](uint8_t* const(&at)[3]) {
                   const Int grey = grey_of(load(at[0]), load(at[1]), load(at[2]));
                   for (uint8_t* plane : at) store(grey, plane);
                 });
}

uint64_t sum_grey_all(uint8_t* red, uint8_t* green, uint8_t* blue, int64_t count) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Ints()));
  constexpr int64_t kChunk = 1 << 16;  // sums of so many values fit into a lane
  uint64_t total = 0;
  int64_t i = 0;
  while (i + lanes <= count) {
    Int sum = hn::Zero(Ints());
    const int64_t end = std::min(count, i + kChunk);
    for (; i + lanes <= end; i += lanes) {
      sum = hn::Add(sum, grey_of(load(red + i), load(green + i), load(blue + i)));
    }
    total += static_cast<uint64_t>(hn::GetLane(hn::SumOfLanes(Ints(), sum)));
  }
  for (; i < count; ++i) {
    total += static_cast<uint64_t>(
        (19595 * red[i] + 38470 * green[i] + 7471 * blue[i] + (1 << 15)) >> 16);
  }
  return total;
}

void invert_all(uint8_t* values, int64_t count, int threshold) {
  const Ints d;
  const Int below = hn::Set(d, threshold - 1);
  over_planes<1>({values}, count, static_cast<int64_t>(hn::Lanes(d)), [&](uint8_t* const(&at)[1]) {
    const Int value = load(at[0]);
    store(hn::IfThenElse(hn::Gt(value, below), hn::Sub(hn::Set(d, 255), value), value), at[0]);
  });
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(grey_all);
HWY_EXPORT(sum_grey_all);
HWY_EXPORT(invert_all);

}  // namespace

int64_t count_of(const Planes& planes) {
  ADASSL_CHECK(planes.red.size() == planes.green.size() && planes.red.size() == planes.blue.size(),
               "[colour] expected planes of one size, got ", planes.red.size(), ", ",
               planes.green.size(), " and ", planes.blue.size());
  return static_cast<int64_t>(planes.red.size());
}

void make_grey(const Planes& planes) {
  ADASSL_DISPATCH(grey_all)
  (planes.red.data(), planes.green.data(), planes.blue.data(), count_of(planes));
}

uint64_t sum_of_grey(const Planes& planes) {
  return ADASSL_DISPATCH(sum_grey_all)(planes.red.data(), planes.green.data(), planes.blue.data(),
                                       count_of(planes));
}

void invert_from(std::span<uint8_t> values, int threshold) {
  ADASSL_DISPATCH(invert_all)(values.data(), static_cast<int64_t>(values.size()), threshold);
}

}  // namespace adassl::kernels
#endif
