#include "adassl/report/records.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adassl::report {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double finite_or_nan(const Json& value) {
  if (!value.is_number()) return kNaN;
  const double number = value.get<double>();
  return std::isfinite(number) ? number : kNaN;
}

}  // namespace

std::string text_of(const Json& record, std::string_view key, std::string_view otherwise) {
  const Json& value = child_of(record, key);
  return value.is_string() ? value.get<std::string>() : std::string(otherwise);
}

std::optional<double> number_of(const Json& record, std::string_view key) {
  if (!record.is_object() || !record.contains(key)) return std::nullopt;
  return finite_or_nan(record.at(key));
}

std::vector<double> numbers_of(const Json& record, std::string_view key) {
  const Json& value = child_of(record, key);
  std::vector<double> out;
  if (!value.is_array()) return out;
  for (const Json& element : value) out.push_back(finite_or_nan(element));
  return out;
}

const Json& child_of(const Json& record, std::string_view key) {
  static const Json empty = Json::object();
  return record.is_object() && record.contains(key) ? record.at(key) : empty;
}

std::optional<double> metric_of(const Record& record, const std::string& name) {
  const auto found = record.metrics.find(name);
  return found == record.metrics.end() ? std::nullopt : std::optional(found->second);
}

const Json* study_of(const Records& records) {
  const Json* study = nullptr;
  for (const Record& record : records) {
    if (record.kind == records::kStudy) study = &record.rest;
  }
  return study;
}

std::vector<Metric> metrics_in(const std::string& section, const Descriptions& descriptions) {
  std::vector<Metric> out;
  for (const auto& [name, metric] : descriptions) {
    if (metric.section == section) out.push_back(metric);
  }
  std::ranges::stable_sort(out, {}, &Metric::order);
  return out;
}

Interval shown_range(const MetricRange& worth, Interval range) {
  return range_of({std::clamp(range.low, worth.low, worth.high),
                   std::clamp(range.high, worth.low, worth.high)});
}

Summary summarize(const std::vector<double>& values) {
  Summary out{kNaN, kNaN};
  double sum = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      ++out.not_finite;
      continue;
    }
    sum += value;
    ++out.seeds;
  }
  if (out.seeds == 0) return out;
  const auto count = static_cast<double>(out.seeds);
  out.mean = sum / count;
  if (out.seeds < 2) return out;
  double squares = 0;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - out.mean) * (value - out.mean);
  }
  out.std = std::sqrt(squares / (count - 1));
  return out;
}

}  // namespace adassl::report
