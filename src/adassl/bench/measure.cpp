#include "adassl/bench/measure.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "adassl/kernels/peak.h"
#include "adassl/kernels/threads.h"

namespace adassl::bench {
namespace {

constexpr double kShortest = 0.001;  // seconds; what is quicker is measured several times at once
constexpr double kLong = 0.1;        // seconds; what takes longer needs no warm caches
constexpr double kSpinning = 0.05;   // seconds; LibTorch's threads, when new, spin for half of it

/// One of the ways to do the work.
class Side {
 public:
  Side(const std::function<void()>& work, nn::Kernels kernels, const Case& of, bool falls_back)
      : work_(work), kernels_(kernels), threads_(of.threads), falls_back_(falls_back) {}

  /// Seconds that a measurement will take. The first call has cold pages and counts only where
  /// there is no time for another.
  double rehearse(double patience) {
    if (!work_) return 0;
    nn::use_kernels(kernels_, threads_, falls_back_);
    libtorch_threads_ = at::get_num_threads();
    once_ = timed(1);
    if (once_ < patience) once_ = timed(1);
    calls_ = std::clamp(static_cast<int>(kShortest / once_), 1, 10'000);
    seconds_ = {once_};
    return once_ * (calls_ + (once_ < kLong ? 1 : 0));
  }

  /// Calls before are not counted: threads have just come, caches hold what the other side left.
  void measure() {
    if (!work_) return;
    const int before = at::get_num_threads();
    nn::use_kernels(kernels_, threads_, falls_back_);
    if (at::get_num_threads() != before) {
      for (double seconds = 0; seconds < kSpinning;) seconds += timed(1);
    } else if (once_ < kLong) {
      work_();
    }
    seconds_.push_back(timed(calls_) / calls_);
  }

  void forget_rehearsal() { seconds_.clear(); }

  /// Whether LibTorch's threads change from the one side to the other: then calls are made twice.
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
  nn::Kernels kernels_;
  int threads_;
  bool falls_back_;
  int libtorch_threads_ = 1;
  int calls_ = 1;
  double once_ = 0;              // seconds of the rehearsal
  std::vector<double> seconds_;  // of one call
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
  const nn::WithKernels restored(nn::Kernels::kFused);
  const Work work = chosen.make();
  Side reference(work.reference, work.reference_by, chosen, /*falls_back=*/true);
  Side fused(work.fused, nn::Kernels::kFused, chosen, work.falls_back);
  Side floor(work.floor, nn::Kernels::kFused, chosen, work.falls_back);
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
  return row;
}

}  // namespace adassl::bench
