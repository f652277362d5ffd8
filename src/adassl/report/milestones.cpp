#include "adassl/report/milestones.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "adassl/report/numbers.h"

namespace adassl::report {
namespace {

using AtSteps = std::map<double, std::vector<double>>;  // values of all seeds, by step

double step_of(const Record& record) { return static_cast<double>(record.step.value_or(0)); }

AtSteps values_of(const Records& records, const std::string& row, const std::string& metric) {
  AtSteps out;
  const auto take = [&](const Record& record) {
    if (row_of(record) != row) return;
    if (const auto value = metric_of(record, metric)) out[step_of(record)].push_back(*value);
  };
  for (const Record& record : records) {
    if (record.kind == records::kMilestone) take(record);
  }
  const AtSteps on_the_way = out;
  // For an unfinished run the last milestone stands in for the evaluation; its step is already
  // there.
  for (const Record* evaluation : latest_of(records, records::kEvaluation)) {
    if (!on_the_way.contains(step_of(*evaluation))) take(*evaluation);
  }
  return out;
}

std::set<double> steps_of(const Records& records) {
  std::set<double> out;
  for (const Record& record : records) {
    if (record.kind == records::kMilestone) out.insert(step_of(record));
  }
  return out;
}

std::string line_of(const std::string& label, const AtSteps& values,
                    const std::set<double>& steps) {
  std::string out = fmt::format("| {} |", label);
  for (const double step : steps) {
    const auto found = values.find(step);
    out += fmt::format(" {} |",
                       found == values.end() ? "" : number_text(summarize(found->second).mean));
  }
  return out + "\n";
}

}  // namespace

std::string milestones_markdown(const Records& records, const Table& table) {
  std::set<double> steps = steps_of(records);
  if (steps.empty()) return "";
  for (const Row& row : table.rows) {
    if (row.step > 0) steps.insert(static_cast<double>(row.step));
  }
  std::string out = "| on the way, by steps |", rule = "|:--|";
  for (const double step : steps) {
    out += fmt::format(" {} |", count_text(step));
    rule += ":--|";
  }
  out += "\n" + rule + "\n";
  for (const Row& row : table.rows) {
    if (row.step == 0) continue;
    for (const Column& column : table.columns) {
      const std::string group = column.group.empty() ? "" : column.group + ": ";
      const std::string of = row.group.empty() ? row.label : row.label + ", " + row.group;
      const AtSteps values = values_of(records, row.name, column.metric);
      if (values.empty()) continue;
      out += line_of(fmt::format("{}, {}{}", of, group, column.label), values, steps);
    }
  }
  return out;
}

}  // namespace adassl::report
