#include "adassl/bench/measure.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "adassl/kernels/peak.h"
#include "adassl/kernels/threads.h"

namespace adassl::bench {
namespace {

constexpr double kShortest = 0.001;  // seconds; several shorter calls are timed together
constexpr double kLong = 0.1;        // seconds; longer calls need no warm caches
constexpr double kSpinning = 0.05;   // seconds; new threads of LibTorch spin for half of this time

/// One implementation of the work.
class Side {
 public:
  Side(const std::function<void()>& work, nn::Kernels kernels, const Case& of)
      : work_(work), compute_{.kernels = kernels, .threads = of.threads} {}

  /// Estimates the seconds that a measurement will take. The first call touches cold pages and
  /// counts only if there is no time for a second one.
  double rehearse(double patience) {
    if (!work_) return 0;
    nn::use_threads(compute_);
    libtorch_threads_ = at::get_num_threads();
    once_ = timed(1);
    if (once_ < patience) once_ = timed(1);
    calls_ = std::clamp(static_cast<int>(kShortest / once_), 1, 10'000);
    seconds_ = {once_};
    return once_ * (calls_ + (once_ < kLong ? 1 : 0));
  }

  /// Takes one measurement. Uncounted calls precede it, because threads may have just started and
  /// the caches contain the data of the other side.
  void measure() {
    if (!work_) return;
    const int before = at::get_num_threads();
    nn::use_threads(compute_);
    if (at::get_num_threads() != before) {
      for (double seconds = 0; seconds < kSpinning;) seconds += timed(1);
    } else if (once_ < kLong) {
      work_();
    }
    seconds_.push_back(timed(calls_) / calls_);
  }

  void forget_rehearsal() { seconds_.clear(); }

  /// Whether the number of LibTorch's threads differs between the sides. Each measurement then
  /// takes about twice as long.
  bool disturbs(const Side& other) const {
    return work_ && other.work_ && libtorch_threads_ != other.libtorch_threads_;
  }

  std::optional<double> median_ms() {
    if (!work_) return std::nullopt;
    const auto middle = seconds_.begin() + static_cast<std::ptrdiff_t>(seconds_.size() / 2);
    std::nth_element(seconds_.begin(), middle, seconds_.end());
    return 1e3 * *middle;
  }

 private:
  double timed(int calls) const {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) work_();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  const std::function<void()>& work_;
  nn::Compute compute_;
  int libtorch_threads_ = 1;
  int calls_ = 1;
  double once_ = 0;              // seconds of one call in the rehearsal
  std::vector<double> seconds_;  // per call
};

template <double (*gflops)()>
double measured_once(int threads) {
  static std::map<int, double> known;
  if (const auto found = known.find(threads); found != known.end()) return found->second;
  kernels::set_threads(threads);
  return known[threads] = gflops();
}

}  // namespace

double peak(int threads) { return measured_once<kernels::peak_gflops>(threads); }

double product_peak(int threads) { return measured_once<kernels::product_peak_gflops>(threads); }

Row measure(const Case& chosen, int repeats) {
  const Work work = chosen.make();
  Side reference(work.reference, work.reference_by, chosen);
  Side fused(work.fused, nn::Kernels::kFused, chosen);
  Side floor(work.floor, nn::Kernels::kFused, chosen);
  double seconds = 0;
  for (Side* side : {&reference, &fused, &floor}) seconds += side->rehearse(chosen.patience);
  if (fused.disturbs(reference)) seconds *= 2;
  Row row;
  row.name = chosen.name;
  row.threads = chosen.threads;
  if (seconds < chosen.patience) {
    for (Side* side : {&reference, &fused, &floor}) side->forget_rehearsal();
    row.repeats = std::clamp(static_cast<int>(chosen.patience / seconds), 1, repeats);
    for (int i = 0; i < row.repeats; ++i) {
      for (Side* side : {&reference, &fused, &floor}) side->measure();
    }
  }
  row.reference_ms = reference.median_ms();
  row.floor_ms = floor.median_ms();
  row.fused_ms = *fused.median_ms();
  if (work.flops > 0) {
    row.gflops = work.flops / row.fused_ms / 1e6;
    row.peak_share = *row.gflops / peak(chosen.threads);
  }
  if (work.extra_bytes) row.extra_bytes = work.extra_bytes();
  if (work.estimated_bytes > 0) row.estimated_bytes = work.estimated_bytes;
  return row;
}

}  // namespace adassl::bench
