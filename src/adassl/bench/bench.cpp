#include "adassl/bench/bench.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "adassl/bench/cases.h"
#include "adassl/bench/lines.h"
#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/kernels/simd.h"

namespace adassl::bench {
namespace {

std::vector<Case> chosen_cases(const Options& options) {
  std::vector<Case> out;
  const auto add = [&](const std::vector<Case>& cases) {
    for (const Case& one : cases) {
      if (one.name.find(options.only) != std::string::npos) out.push_back(one);
    }
  };
  if (options.experiment == "video") {
    add(video_cases(options.threads));
  } else {
    add(kernel_cases(options.threads));
    add(contrastive_cases(options.threads));
    add(step_cases(options.threads));
    if (options.scaling) {
      add(contrastive_scaling_cases(options.threads));
      add(step_scaling_cases(options.threads));
    }
  }
  ADASSL_CHECK(!out.empty(), "[bench] expected --only to be part of a row's name, got '",
               options.only, "'; 'adassl bench ", options.experiment, "' shows all");
  return out;
}

ordered_json as_json(const Row& row) {
  return {{"name", row.name},
          {"reference_ms", or_null(row.reference_ms)},
          {"fused_ms", row.fused_ms},
          {"ratio", or_null(row.ratio())},
          {"gflops", or_null(row.gflops)},
          {"peak_share", or_null(row.peak_share)},
          {"extra_bytes", or_null(row.extra_bytes)},
          {"floor_ms", or_null(row.floor_ms)},
          {"over_floor", or_null(row.over_floor())},
          {"threads", row.threads},
          {"repeats", row.repeats}};
}

/// Prints the table: its header and its rows.
class Table {
 public:
  Table(const std::vector<Case>& cases, bool video) : video_(video) {
    for (const Case& one : cases) width_ = std::max(width_, one.name.size());
  }

  void header(const Options& options) const {
    std::cout << fmt::format(
        "{}, {}, {} threads, fp32 peak {:.0f} GFLOP/s; medians of up to {}\n\n", host::cpu_name(),
        kernels::instruction_set(), options.threads, peak(options.threads), options.repeats);
    line("", "reference ms", "fused ms", "ratio", "GFLOP/s", "of peak",
         video_ ? "x floor" : "extra MB");
  }

  void row(const Row& row) const {
    const std::string extra =
        row.extra_bytes ? fmt::format("{:.1f}", static_cast<double>(*row.extra_bytes) / 1e6) : "-";
    line(row.name, cell("{:.3f}", row.reference_ms), fmt::format("{:.3f}", row.fused_ms),
         cell("{:.1f}", row.ratio()), cell("{:.1f}", row.gflops),
         row.peak_share ? fmt::format("{:.0f} %", 100 * *row.peak_share) : "-",
         video_ ? cell("{:.2f}", row.over_floor()) : extra);
  }

 private:
  void line(const std::string& name, const std::string& reference, const std::string& fused,
            const std::string& ratio, const std::string& gflops, const std::string& share,
            const std::string& last) const {
    std::cout << fmt::format("{:<{}}  {:>12}  {:>9}  {:>6}  {:>8}  {:>8}  {:>9}\n", name, width_,
                             reference, fused, ratio, gflops, share, last)
              << std::flush;
  }

  bool video_;
  size_t width_ = 0;
};

}  // namespace

void run_step_bench(const Options& options) {
  const std::vector<Case> cases = chosen_cases(options);
  Lines lines(options,
              {{"simd", kernels::instruction_set()}, {"blas_kernels", host::blas_kernels()}});
  const Table table(cases, options.experiment == "video");
  if (!options.json) table.header(options);
  for (const Case& one : cases) {
    const Row row = measure(one, options.repeats);
    if (!options.json) table.row(row);
    lines.add(as_json(row), {{"peak_gflops", peak(row.threads)}});
  }
}

void run(const Options& options) {
  if (options.experiment == "convolution") return run_convolution_bench(options);
  if (options.experiment == "data") return run_data_bench(options);
  run_step_bench(options);
}

}  // namespace adassl::bench
