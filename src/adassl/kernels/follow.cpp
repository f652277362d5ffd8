#include "adassl/kernels/follow.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"

// The order matters: simd.h selects the targets for which foreach_target.h compiles this file.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/follow.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/over-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Starts from the term with the larger weight: average + (1 - m) (value - average) if m > 1/2, and
/// value - m (value - average) otherwise.
template <class D>
HWY_INLINE void move(D d, double momentum, const float* value, float* average) {
  const auto to = hn::LoadU(d, value);
  const auto from = hn::LoadU(d, average);
  const auto apart = hn::Sub(to, from);
  const bool near = momentum > 0.5;
  const auto share = hn::Set(d, static_cast<float>(near ? 1 - momentum : momentum));
  hn::StoreU(near ? hn::MulAdd(share, apart, from) : hn::NegMulAdd(share, apart, to), d, average);
}

void follow_range(double momentum, const float* values, float* average, size_t count) {
  over(count, [&](auto d, size_t i) HWY_ATTR { move(d, momentum, values + i, average + i); });
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(follow_range);

constexpr size_t kPiece = 16384;

}  // namespace

void follow(std::span<const float> values, std::span<float> average, double momentum) {
  ADASSL_CHECK(values.size() == average.size(), "[follow] expected averages of ", values.size(),
               " values, got ", average.size());
  const size_t pieces = (values.size() + kPiece - 1) / kPiece;
  parallel_for(static_cast<int64_t>(pieces), [&](int64_t piece) {
    const size_t begin = static_cast<size_t>(piece) * kPiece;
    ADASSL_DISPATCH(follow_range)
    (momentum, values.data() + begin, average.data() + begin,
     std::min(kPiece, values.size() - begin));
  });
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
