#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "adassl/nn/compute.h"

/// How `adassl bench` measures: two implementations of the same work run alternately within one
/// process, so that the load and clock speed of the machine affect both alike.
namespace adassl::bench {

/// One piece of a training step.
struct Work {
  std::function<void()> fused;      // with our own kernels
  std::function<void()> reference;  // with LibTorch; empty if there is nothing to compare with
  nn::Kernels reference_by = nn::Kernels::kReference;  // decides how many threads LibTorch gets
  double flops = 0;                                    // of the matrix products; 0: not counted
  std::function<int64_t()> extra_bytes = {};  // beyond inputs and results; called at the end
  double estimated_bytes = 0;                 // the memory estimate of these; 0: none
  std::function<void()> floor = {};           // the part of the work that no kernel can avoid
};

struct Case {
  std::string name;
  int threads;
  std::function<Work()> make;  // the work owns the data it needs
  double patience = 3;         // seconds to spend on the row
  /// Measures the same work in LibTorch's own bfloat16, in milliseconds. It may crash, so it is
  /// called in a child process; empty if there is no such row.
  std::function<double()> libtorch_bf16 = {};
};

struct Row {
  std::string name;
  int threads = 1;
  int repeats = 1;
  double fused_ms = 0;  // medians
  std::optional<double> reference_ms;
  std::optional<double> floor_ms;
  std::optional<double> gflops;      // of `fused`
  std::optional<double> peak_share;  // gflops / peak(threads)
  std::optional<int64_t> extra_bytes;
  std::optional<double> estimated_bytes;

  std::optional<double> ratio() const {
    return reference_ms ? std::optional(*reference_ms / fused_ms) : std::nullopt;
  }
  std::optional<double> over_floor() const {
    return floor_ms ? std::optional(fused_ms / *floor_ms) : std::nullopt;
  }
  /// The share by which the memory estimate is above the measured peak (negative: below).
  std::optional<double> estimate_error() const {
    if (!estimated_bytes || !extra_bytes || *extra_bytes <= 0) return std::nullopt;
    return *estimated_bytes / static_cast<double>(*extra_bytes) - 1;
  }
  /// Whether the memory estimate is as close to the measured peak as it promises to be.
  std::optional<bool> estimate_holds() const {
    constexpr double kPromised = 0.15;
    const auto error = estimate_error();
    return error ? std::optional(*error <= kPromised && *error >= -kPromised) : std::nullopt;
  }
};

/// The results of kernels::peak_gflops and kernels::product_peak_gflops with this number of
/// threads, measured once per process.
double peak(int threads);
double product_peak(int threads);

/// Runs reference, fused and floor in turn, up to `repeats` times, or fewer if that would take
/// longer than the row's patience.
Row measure(const Case& chosen, int repeats);

}  // namespace adassl::bench
