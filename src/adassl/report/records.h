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

/// Reading what records carry beside their typed fields without trusting it. A record may be old,
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
/// Nothing where the key is absent; NaN where it is there but no finite number (null, text, inf).
std::optional<double> number_of(const Json& record, std::string_view key);
/// The numbers of an array, NaN for what is none; empty where there is no array.
std::vector<double> numbers_of(const Json& record, std::string_view key);
/// The object or array under the key, or an empty one.
const Json& child_of(const Json& record, std::string_view key);

inline int64_t seed_of(const Record& record) { return record.seed.value_or(0); }
/// The metric of that name; nothing where the record does not have it.
std::optional<double> metric_of(const Record& record, const std::string& name);

/// What the last study record says, so that a resumed study may restate itself; null without one.
const Json* study_of(const Records& records);

/// Those of these metrics that ask to be shown in the section, in their order. The variants of a
/// row have no place in the sections that sum up a row in a few numbers.
std::vector<Metric> metrics_in(const std::string& section, const Descriptions& descriptions);

/// What an axis shows of this range: what the metric says is worth showing.
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
