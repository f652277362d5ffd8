#include "adassl/report/records.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "adassl/core/error.h"

namespace adassl::report {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double finite_or_nan(const Json& value) {
  if (!value.is_number()) return kNaN;
  const double number = value.get<double>();
  return std::isfinite(number) ? number : kNaN;
}

double step_of(const Json& record) {
  const double step = number_of(record, "step").value_or(0);
  return std::isfinite(step) ? step : 0;
}

/// The variants of a row share its evaluations but have curves of their own, "<variant>.<metric>".
std::string variant_of(const Json& record) {
  for (const auto& item : child_of(record, "points").items()) {
    const size_t dot = item.key().find('.');
    if (dot != std::string::npos) return item.key().substr(0, dot);
  }
  return "";
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

std::string row_of(const Json& record) {
  return text_of(record, "row", text_of(record, "method", "run"));
}

int64_t seed_of(const Json& record) {
  const Json& seed = child_of(record, "seed");
  return seed.is_number_integer() ? seed.get<int64_t>() : 0;
}

const Json* study_of(const Records& records) {
  const Json* study = nullptr;
  for (const Json& record : records) {
    if (text_of(record, "kind") == "study") study = &record;
  }
  return study;
}

std::vector<const Json*> latest_of(const Records& records, std::string_view kind) {
  std::vector<std::string> rows;
  std::map<std::string, std::map<std::pair<int64_t, std::string>, const Json*>> found;
  for (const Json& record : records) {
    ADASSL_CHECK(record.is_object(), "[report] expected records that are JSON objects, got ",
                 record.type_name());
    if (text_of(record, "kind") != kind) continue;
    const std::string row = row_of(record);
    if (!found.contains(row)) rows.push_back(row);
    const Json*& best = found[row][{seed_of(record), variant_of(record)}];
    if (best == nullptr || step_of(record) >= step_of(*best)) best = &record;
  }
  std::vector<const Json*> out;
  for (const std::string& row : rows) {
    for (const auto& [trial, record] : found[row]) out.push_back(record);
  }
  return out;
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
