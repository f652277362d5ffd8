#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "adassl/records/describe.h"
#include "adassl/records/rule.h"
#include "adassl/report/axes.h"

/// Reads the content of records beside their typed fields without trusting it. A record may be old,
/// unfinished or hold a run that diverged, so a missing key and a value that is not a number are
/// ordinary here, not errors.
namespace adassl::report {

using Json = nlohmann::json;
using records::latest_of;
using records::Record;
using records::Records;
using records::row_of;

/// The text under the key; `otherwise` where there is none.
std::string text_of(const Json& record, std::string_view key, std::string_view otherwise = "");
/// Returns nullopt if the key is absent; NaN if its value is not a finite number (null, text, inf).
std::optional<double> number_of(const Json& record, std::string_view key);
/// The numbers of an array, NaN for elements that are no numbers; empty if there is no array.
std::vector<double> numbers_of(const Json& record, std::string_view key);
/// The object or array under the key, or an empty one.
const Json& child_of(const Json& record, std::string_view key);

inline int64_t seed_of(const Record& record) { return record.seed.value_or(0); }
/// The metric of that name; nullopt if the record does not have it.
std::optional<double> metric_of(const Record& record, const std::string& name);

/// The content of the last study record; null if there is none. The last one counts because a
/// resumed study may declare itself again.
const Json* study_of(const Records& records);

/// The metrics that name this section, in their order. They do not include the "<variant>.<metric>"
/// names of variants, because such sections sum up a row in a few numbers.
std::vector<Metric> metrics_in(const std::string& section, const Descriptions& descriptions);

/// The part of this range that an axis shows: the values that the metric declares worth showing.
Interval shown_range(const MetricRange& worth, Interval range);

/// Mean and sample standard deviation (n - 1) of the finite values; NaN where there are too few.
struct Summary {
  double mean;
  double std;
  int64_t seeds = 0;       // how many values were finite
  int64_t not_finite = 0;  // how many were not, and so are in neither number
};
Summary summarize(const std::vector<double>& values);

}  // namespace adassl::report
