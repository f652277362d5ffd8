#include "adassl/kernels/adamw.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"

// The order matters: simd.h selects the targets for which foreach_target.h compiles this file.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/adamw.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/over-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double sum_of_squares(const float* values, size_t count) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> narrow;
  const size_t lanes = hn::Lanes(wide);
  // Four independent sums hide the latency of the additions.
  auto sum0 = hn::Zero(wide), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  size_t i = 0;
  const auto add_next = [&](auto& sum) HWY_ATTR {
    const auto x = hn::PromoteTo(wide, hn::LoadU(narrow, values + i));
    sum = hn::MulAdd(x, x, sum);
    i += lanes;
  };
  while (i + 4 * lanes <= count) {
    add_next(sum0);
    add_next(sum1);
    add_next(sum2);
    add_next(sum3);
  }
  double total =
      hn::GetLane(hn::SumOfLanes(wide, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
  for (; i < count; ++i) total += static_cast<double>(values[i]) * values[i];
  return total;
}

template <class D>
HWY_INLINE void update(D d, const AdamWStep& step, const AdamWBuffers& buffers, size_t i) {
  const auto set = [d](double x) HWY_ATTR { return hn::Set(d, static_cast<float>(x)); };
  float* const value = buffers.values.data() + i;
  float* const first = buffers.first_moment.data() + i;
  float* const second = buffers.second_moment.data() + i;
  const auto g = hn::Mul(set(step.gradient_scale), hn::LoadU(d, buffers.gradients.data() + i));
  const auto m = hn::MulAdd(set(step.beta1), hn::LoadU(d, first), hn::Mul(set(1 - step.beta1), g));
  const auto v = hn::MulAdd(set(step.beta2), hn::LoadU(d, second),
                            hn::Mul(hn::Mul(set(1 - step.beta2), g), g));
  const auto denominator = hn::MulAdd(set(step.root_scale), hn::Sqrt(v), set(step.epsilon));
  const auto kept = hn::Mul(hn::LoadU(d, buffers.keep.data() + i), hn::LoadU(d, value));
  const auto p = hn::NegMulAdd(set(step.step_size), hn::Div(m, denominator), kept);
  hn::StoreU(m, d, first);
  hn::StoreU(v, d, second);
  hn::StoreU(p, d, value);
}

void update_range(const AdamWStep& step, const AdamWBuffers& buffers, size_t begin, size_t end) {
  over(end - begin, [&](auto d, size_t i) HWY_ATTR { update(d, step, buffers, begin + i); });
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(sum_of_squares);
HWY_EXPORT(update_range);

constexpr size_t kBlock = 4096;  // a multiple of every vector length, and much smaller than a cache

int64_t blocks_of(size_t count) { return static_cast<int64_t>((count + kBlock - 1) / kBlock); }

}  // namespace

double norm(std::span<const float> values) {
  std::vector<double> sums(static_cast<size_t>(blocks_of(values.size())));
  parallel_for(blocks_of(values.size()), [&](int64_t block) {
    const size_t begin = static_cast<size_t>(block) * kBlock;
    sums[static_cast<size_t>(block)] = ADASSL_DISPATCH(sum_of_squares)(
        values.data() + begin, std::min(kBlock, values.size() - begin));
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return std::sqrt(total);
}

void adamw_step(const AdamWStep& step, const AdamWBuffers& buffers) {
  const size_t count = buffers.values.size();
  for (const size_t size : {buffers.gradients.size(), buffers.first_moment.size(),
                            buffers.second_moment.size(), buffers.keep.size()}) {
    ADASSL_CHECK(size == count, "[adamw] expected buffers of ", count, " values, got ", size);
  }
  parallel_for(blocks_of(count), [&](int64_t block) {
    const size_t begin = static_cast<size_t>(block) * kBlock;
    ADASSL_DISPATCH(update_range)(step, buffers, begin, std::min(count, begin + kBlock));
  });
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
