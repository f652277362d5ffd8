#include "adassl/cli/bench_measure.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "adassl/kernels/peak.h"
#include "adassl/kernels/threads.h"
#include "adassl/nn/fused.h"

namespace adassl::cli::bench {
namespace {

constexpr double kPatience = 3;      // seconds for a row
constexpr double kShortest = 0.001;  // seconds; what is quicker is measured several times at once

/// As a run with compute.kernels and compute.threads would.
void use(nn::Kernels kernels, int threads) {
  const bool fused = kernels == nn::Kernels::kFused;
  nn::use_kernels(kernels);
  kernels::set_threads(fused ? threads : 1);
  at::set_num_threads(fused ? 1 : threads);
}

/// One of the two ways.
class Side {
 public:
  Side(const std::function<void()>& work, nn::Kernels kernels, int threads)
      : work_(work), kernels_(kernels), threads_(threads) {}

  /// Seconds that a measurement will take. The first call has cold pages and counts only where
  /// there is no time for another.
  double rehearse() {
    if (!work_) return 0;
    use(kernels_, threads_);
    double once = timed(1);
    if (once < kPatience) once = timed(1);
    calls_ = std::clamp(static_cast<int>(kShortest / once), 1, 10'000);
    seconds_ = {once};
    return once * (calls_ + 1);
  }

  /// The call before is not counted: threads have just come, caches hold what the other side left.
  void measure() {
    if (!work_) return;
    use(kernels_, threads_);
    work_();
    seconds_.push_back(timed(calls_) / calls_);
  }

  void forget_rehearsal() { seconds_.clear(); }

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
  int calls_ = 1;
  std::vector<double> seconds_;  // of one call
};

}  // namespace

double peak(int threads) {
  static std::map<int, double> known;
  const auto found = known.find(threads);
  if (found != known.end()) return found->second;
  kernels::set_threads(threads);
  return known[threads] = kernels::peak_gflops();
}

Row measure(const Case& chosen, int repeats) {
  const nn::WithKernels restored(nn::Kernels::kFused);
  const Work work = chosen.make();
  Side reference(work.reference, nn::Kernels::kReference, chosen.threads);
  Side fused(work.fused, nn::Kernels::kFused, chosen.threads);
  const double seconds = reference.rehearse() + fused.rehearse();
  Row row;
  row.name = chosen.name;
  row.threads = chosen.threads;
  if (seconds < kPatience) {
    reference.forget_rehearsal();
    fused.forget_rehearsal();
    row.repeats = std::clamp(static_cast<int>(kPatience / seconds), 1, repeats);
    for (int i = 0; i < row.repeats; ++i) {
      reference.measure();
      fused.measure();
    }
  }
  row.reference_ms = reference.median_ms();
  row.fused_ms = *fused.median_ms();
  if (work.flops > 0) {
    row.gflops = work.flops / row.fused_ms / 1e6;
    row.peak_share = *row.gflops / peak(chosen.threads);
  }
  if (work.extra_bytes) row.extra_bytes = work.extra_bytes();
  return row;
}

}  // namespace adassl::cli::bench
