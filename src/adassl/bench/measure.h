#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "adassl/nn/fused.h"

/// How `adassl bench` measures: two ways to do the same work, in turns and within one process, so
/// that both meet the same machine in the same mood.
namespace adassl::bench {

/// One piece of a training step.
struct Work {
  std::function<void()> fused;      // by kernels of our own
  std::function<void()> reference;  // by LibTorch; none where there is nothing to compare with
  nn::Kernels reference_by = nn::Kernels::kReference;  // what it runs by, and has its threads
  double flops = 0;                                    // of the matrix products; 0: not counted
  std::function<int64_t()> extra_bytes = {};  // beyond inputs and results; asked at the end
  std::function<void()> floor = {};           // the part of it that no kernel of ours could spare
  bool falls_back = false;  // ours does, on LibTorch, which then has all threads beside us
};

struct Case {
  std::string name;
  int threads;
  std::function<Work()> make;  // whatever the work needs lives as long as the work
  double patience = 3;         // seconds for the row
};

struct Row {
  std::string name;
  int threads = 1;
  int repeats = 1;
  double fused_ms = 0;  // medians
  std::optional<double> reference_ms;
  std::optional<double> floor_ms;
  std::optional<double> gflops;      // fused
  std::optional<double> peak_share;  // of that in peak(threads)
  std::optional<int64_t> extra_bytes;

  std::optional<double> ratio() const {
    return reference_ms ? std::optional(*reference_ms / fused_ms) : std::nullopt;
  }
  std::optional<double> over_floor() const {
    return floor_ms ? std::optional(fused_ms / *floor_ms) : std::nullopt;
  }
};

/// What kernels::peak_gflops and kernels::product_peak_gflops measure with so many threads;
/// measured once.
double peak(int threads);
double product_peak(int threads);

/// Up to `repeats` times reference, fused, floor, reference, fused, floor, ...; fewer where that
/// takes longer than the row's patience.
Row measure(const Case& chosen, int repeats);

}  // namespace adassl::bench
