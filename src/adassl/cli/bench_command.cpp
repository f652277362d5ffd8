#include <algorithm>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/bench/cases.h"
#include "adassl/bench/convolution.h"
#include "adassl/bench/images.h"
#include "adassl/cli/commands.h"
#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/kernels/simd.h"
#include "adassl/storage/json_lines.h"

namespace adassl::cli {
namespace {

using bench::Case;
using bench::Row;
using nlohmann::ordered_json;

struct Arguments {
  std::string experiment = "numerical";
  int repeats = 11;
  int threads = 0;
  bool scaling = false;
  bool json = false;
  std::string only;
  std::string records;
};

std::vector<Case> chosen_cases(const Arguments& arguments) {
  std::vector<Case> out;
  const auto add = [&](const std::vector<Case>& cases) {
    for (const Case& one : cases) {
      if (one.name.find(arguments.only) != std::string::npos) out.push_back(one);
    }
  };
  const bool video = arguments.experiment == "video";
  if (video) {
    add(bench::video_cases(arguments.threads));
  } else {
    add(bench::kernel_cases(arguments.threads));
    add(bench::contrastive_cases(arguments.threads));
    add(bench::step_cases(arguments.threads));
  }
  if (arguments.scaling && !video) {
    add(bench::contrastive_scaling_cases(arguments.threads));
    add(bench::step_scaling_cases(arguments.threads));
  }
  ADASSL_CHECK(!out.empty(), "[bench] expected --only to be part of a row's name, got '",
               arguments.only, "'; 'adassl bench ", arguments.experiment, "' shows all");
  return out;
}

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
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

ordered_json as_record(const Row& row) {
  ordered_json out = {{"kind", "bench"}};
  out.update(as_json(row));
  out["peak_gflops"] = bench::peak(row.threads);
  out["commit"] = host::commit();
  out["time"] = text::utc_now();
  out["host"] = {{"cpu", host::cpu_name()},
                 {"cores", host::logical_cores()},
                 {"simd", kernels::instruction_set()},
                 {"blas_kernels", host::blas_kernels()}};
  return out;
}

/// Prints the table: its header and its rows.
class Table {
 public:
  Table(const std::vector<Case>& cases, bool video) : video_(video) {
    for (const Case& one : cases) width_ = std::max(width_, one.name.size());
  }

  void header(const Arguments& arguments) const {
    std::cout << fmt::format(
        "{}, {}, {} threads, fp32 peak {:.0f} GFLOP/s; medians of up to {}\n\n", host::cpu_name(),
        kernels::instruction_set(), arguments.threads, bench::peak(arguments.threads),
        arguments.repeats);
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

  static std::string cell(const char* format, const std::optional<double>& value) {
    return value ? fmt::format(fmt::runtime(format), *value) : "-";
  }

  bool video_;
  size_t width_ = 0;
};

void run_bench(const Arguments& arguments) {
  if (arguments.experiment == "convolution") {
    return bench::run_convolution_bench(
        {arguments.repeats, arguments.threads, arguments.json, arguments.only, arguments.records});
  }
  if (arguments.experiment == "data") {
    return bench::run_data_bench(
        {arguments.repeats, arguments.json, arguments.only, arguments.records});
  }
  const std::vector<Case> cases = chosen_cases(arguments);
  std::optional<storage::JsonLinesWriter> records;
  if (!arguments.records.empty()) records.emplace(arguments.records);
  const Table table(cases, arguments.experiment == "video");
  if (!arguments.json) table.header(arguments);
  for (const Case& one : cases) {
    const Row row = bench::measure(one, arguments.repeats);
    if (arguments.json) {
      std::cout << as_json(row).dump() << std::endl;
    } else {
      table.row(row);
    }
    if (records) {
      records->append(as_record(row));
      ADASSL_CHECK(records->sync(), records->last_error());
    }
  }
}

}  // namespace

void add_bench(CLI::App& app, Context&) {
  auto arguments = std::make_shared<Arguments>();
  arguments->threads = static_cast<int>(host::logical_cores());
  CLI::App* command = app::add_command(app, "bench");
  command
      ->add_option(
          "experiment", arguments->experiment,
          "numerical: kernels and training steps of the numerical experiment; video: "
          "convolutions and training steps of the video experiment; convolution: our "
          "bfloat16 convolutions against LibTorch's in float32, for several networks; data: "
          "reading images and seeing them, beside torchvision")
      ->check(CLI::IsMember({"numerical", "video", "convolution", "data"}));
  command
      ->add_option("--repeats", arguments->repeats,
                   "measurements of each row; the median is printed")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--threads", arguments->threads, "threads of both sides (default: one per core)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--only", arguments->only, "measure only rows whose name contains this text");
  command->add_flag("--scaling", arguments->scaling,
                    "numerical: also batches up to 65536, embeddings up to 512 wide and several "
                    "numbers of threads (takes minutes)");
  command->add_flag("--json", arguments->json, "print one JSON object per row");
  command->add_option("--records", arguments->records, "append the rows to this file, as records");
  command->callback([arguments] { run_bench(*arguments); });
}

}  // namespace adassl::cli
