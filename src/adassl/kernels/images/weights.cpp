// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/images/weights.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/kernels/images/resample.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::ScalableTag<double>;
using Double = hn::Vec<Doubles>;
using HalfInts = hn::Rebind<int32_t, Doubles>;

/// Keys' cubic convolution with a = -1/2, which is 0 beyond 2.
HWY_INLINE Double cubic(Double x) {
  const Doubles d;
  const auto number = [&](double value) { return hn::Set(d, value); };
  // In Pillow's order: ((a + 2) x - (a + 3)) x x + 1 and (((x - 5) x + 8) x - 4) a.
  const Double inner =
      hn::Add(hn::Mul(hn::Mul(hn::Sub(hn::Mul(number(1.5), x), number(2.5)), x), x), number(1));
  const Double outer =
      hn::Mul(hn::Sub(hn::Mul(hn::Add(hn::Mul(hn::Sub(x, number(5)), x), number(8)), x), number(4)),
              number(-0.5));
  return hn::IfThenElse(hn::Lt(x, number(1)), inner,
                        hn::IfThenElseZero(hn::Lt(x, number(2)), outer));
}

HWY_INLINE Double linear(Double x) {
  const Doubles d;
  return hn::Max(hn::Zero(d), hn::Sub(hn::Set(d, 1), x));
}

/// The weights of as many outputs as a vector has lanes, from `i` on. `shares` is room for the
/// vectors of all weights.
template <bool kCubic>
HWY_INLINE void weigh(const Windows& windows, int64_t i, int64_t count, double* shares,
                      int32_t* out) {
  const Doubles d;
  const HalfInts di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto number = [&](double value) { return hn::Set(d, value); };
  const auto whole = [&](Double v) { return hn::PromoteTo(d, hn::DemoteTo(di, v)); };  // cut off
  const Double place = hn::Iota(d, static_cast<double>(windows.first + i));
  const Double centre = hn::Mul(hn::Add(place, number(0.5)), number(windows.scale));
  const Double half_width = number(windows.support), half = number(0.5);
  const Double begin = whole(hn::Max(number(0), hn::Add(hn::Sub(centre, half_width), half)));
  const Double end = whole(hn::Min(number(static_cast<double>(windows.inputs)),
                                   hn::Add(hn::Add(centre, half_width), half)));
  const Double inverse = number(1.0 / windows.stretch);
  Double sum = number(0);  // in Pillow's order
  for (int64_t k = 0; k < count; ++k) {
    const Double at = hn::Add(begin, number(static_cast<double>(k)));
    const Double x = hn::Abs(hn::Mul(hn::Add(hn::Sub(at, centre), half), inverse));
    const Double share = hn::IfThenElseZero(hn::Lt(at, end), kCubic ? cubic(x) : linear(x));
    sum = hn::Add(sum, share);
    hn::StoreU(share, d, shares + k * lanes);
  }
  sum = hn::IfThenElse(hn::Eq(sum, number(0)), number(1), sum);
  const Double one = number(1 << Taps::kBits);
  for (int64_t k = 0; k < count; ++k) {
    const Double share = hn::Div(hn::LoadU(d, shares + k * lanes), sum);
    const Double rounded = hn::Add(hn::Mul(share, one), hn::CopySignToAbs(half, share));
    hn::StoreU(hn::DemoteTo(di, rounded), di, out + k * lanes);
  }
}

/// `shares` and `rounded` have room for `taps->count` vectors.
void weigh_all(const Windows& windows, bool is_cubic, double* shares, int32_t* rounded,
               Taps* taps) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Doubles()));
  const int64_t count = taps->count;
  for (int64_t i = 0; i < taps->outputs(); ++i) {
    const int64_t lane = i % lanes;
    if (lane == 0) {
      is_cubic ? weigh<true>(windows, i, count, shares, rounded)
               : weigh<false>(windows, i, count, shares, rounded);
    }
    const int64_t begin = windows.begin(i);
    const int64_t start = std::min(begin, taps->inputs - count);
    // The last weights of an output that begins later are 0.
    int32_t* const to = taps->weights.data() + i * count;
    for (int64_t k = 0; k < count - (begin - start); ++k) {
      to[begin - start + k] = rounded[k * lanes + lane];
    }
    taps->first[static_cast<size_t>(i)] = static_cast<int32_t>(start);
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(weigh_all);

}  // namespace

Taps resampling_taps(int64_t inputs, int64_t outputs, int64_t first, int64_t count, bool is_cubic) {
  ADASSL_CHECK(inputs >= 1 && outputs >= 1 && count >= 1 && first >= 0 && first <= outputs - count,
               "[resample] expected outputs within ", outputs, ", got ", count, " from ", first,
               " on");
  Windows windows{.inputs = inputs, .first = first};
  windows.scale = static_cast<double>(inputs) / static_cast<double>(outputs);
  windows.stretch = std::max(windows.scale, 1.0);  // a smaller image needs a wider filter
  windows.support = (is_cubic ? 2 : 1) * windows.stretch;
  Taps out;
  out.inputs = inputs;
  for (int64_t i = 0; i < count; ++i) {
    out.count = std::max(out.count, windows.end(i) - windows.begin(i));
  }
  out.first.resize(static_cast<size_t>(count));
  out.weights.resize(static_cast<size_t>(count * out.count));
  // Kept: they are needed for every image.
  constexpr int64_t kLargestVector = 8;
  thread_local std::vector<double> shares;
  thread_local std::vector<int32_t> rounded;
  const auto room = static_cast<size_t>(out.count * kLargestVector);
  shares.resize(std::max(shares.size(), room));
  rounded.resize(std::max(rounded.size(), room));
  ADASSL_DISPATCH(weigh_all)(windows, is_cubic, shares.data(), rounded.data(), &out);
  return out;
}

}  // namespace adassl::kernels
#endif
