#include "adassl/bench/lines.h"

#include <iostream>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/storage/replaceable.h"

namespace adassl::bench {

Lines::Lines(const Options& options, ordered_json machine)
    : printed_(options.json),
      machine_({{"cpu", host::cpu_name()}, {"cores", host::logical_cores()}}) {
  machine_.update(machine);
  if (options.records.empty()) return;
  storage::require_replaceable(options.records, "{", "records", "--records");
  file_.emplace(options.records);
}

void Lines::add(const ordered_json& row, const ordered_json& of_records) {
  if (printed_) std::cout << row.dump() << std::endl;
  if (!file_) return;
  ordered_json out = {{"kind", "bench"}};
  out.update(row);
  out.update(of_records);
  out["commit"] = host::commit();
  out["time"] = text::utc_now();
  out["host"] = machine_;
  file_->append(out);
  ADASSL_CHECK(file_->sync(), file_->last_error());
}

std::string cell(const char* format, const std::optional<double>& value) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

}  // namespace adassl::bench
