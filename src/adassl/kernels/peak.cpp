#include "adassl/kernels/peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "adassl/kernels/convolution/unit.h"
#include "adassl/kernels/threads.h"

// The order matters: simd.h selects the targets for which foreach_target.h compiles this file.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/peak.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Returns the number of operations: a round has twelve multiply-adds, each with two operations per
/// lane. Eight to ten independent sums keep two units with a latency of four or five cycles busy;
/// sixteen registers have room for twelve sums and the two constants.
int64_t multiply_add(int64_t rounds, float* result) {
  constexpr int kSums = 12;
  const hn::ScalableTag<float> d;
  using Vec = hn::Vec<decltype(d)>;
  const Vec factor = hn::Set(d, *result);
  const Vec term = hn::Set(d, 1 - *result);
  Vec sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = hn::Set(d, static_cast<float>(i));
  for (int64_t round = 0; round < rounds; ++round) {
    for (Vec& sum : sums) sum = hn::MulAdd(sum, factor, term);
  }
  Vec total = sums[0];
  for (int i = 1; i < kSums; ++i) total = hn::Add(total, sums[i]);
  *result = hn::GetLane(hn::SumOfLanes(d, total));  // otherwise the compiler would remove the loop
  return 2 * kSums * static_cast<int64_t>(hn::Lanes(d)) * rounds;
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(multiply_add);

constexpr int64_t kTasks = 4;         // per thread; a thread that starts late runs fewer
constexpr int64_t kRounds = 400'000;  // per task, about a millisecond

/// The largest of many results: a clock that is still rising, and whatever else runs, make a single
/// one too small. Ends after 20 tries in a row that were not better by a hundredth, or 500 in all.
template <class Measure>
double largest(Measure&& measure) {
  double best = 0;
  for (int tries = 0, in_vain = 0; tries < 500 && in_vain < 20; ++tries) {
    const double found = measure();
    in_vain = found > 1.01 * best ? 0 : in_vain + 1;
    best = std::max(best, found);
  }
  return best;
}

}  // namespace

double peak_gflops() {
  return largest([] {
    std::atomic<int64_t> operations = 0;
    const auto start = std::chrono::steady_clock::now();
    parallel_for(kTasks * threads(), [&](int64_t) {
      float factor = 0.999F;
      operations += ADASSL_DISPATCH(multiply_add)(kRounds, &factor);
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return static_cast<double>(operations) / seconds.count() / 1e9;
  });
}

double product_peak_gflops() {
  constexpr int64_t kPairs = 64;
  const Unit& unit = kernels::unit();
  const std::vector<Bf16> a(kMostRows * 2 * kPairs), b(kPairs * kColumns * 2);
  const Tap tap;
  const Product shape{unit.rows, 2 * kPairs, 2, kPairs, {&tap, 1}};
  const double operations = 2.0 * static_cast<double>(2 * unit.rows * kColumns * 2 * kPairs);
  constexpr int64_t kProducts = 2000;  // per task, about a millisecond
  return largest([&] {
    const auto start = std::chrono::steady_clock::now();
    parallel_for(kTasks * threads(), [&](int64_t) {
      alignas(64) float c[kMostRows * kColumns];
      unit.begin(unit.rows, kPairs);
      for (int64_t k = 0; k < kProducts; ++k) {
        unit.product(shape, a.data(), a.data() + unit.rows * 2 * kPairs, b.data(), c);
      }
      unit.end();
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const auto products = static_cast<double>(kProducts * kTasks * threads());
    return products * operations / seconds.count() / 1e9;
  });
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
