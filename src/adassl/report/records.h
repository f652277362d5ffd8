#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Reading records without trusting them. A record may be old, unfinished or hold a run that
/// diverged, so a missing key and a value that is not a number are ordinary here, not errors.
namespace adassl::report {

using Json = nlohmann::json;
using Records = std::vector<Json>;

/// The text under the key; `otherwise` where there is none.
std::string text_of(const Json& record, std::string_view key, std::string_view otherwise = "");
/// Nothing where the key is absent; NaN where it is there but no finite number (null, text, inf).
std::optional<double> number_of(const Json& record, std::string_view key);
/// The numbers of an array, NaN for what is none; empty where there is no array.
std::vector<double> numbers_of(const Json& record, std::string_view key);
/// The object or array under the key, or an empty one.
const Json& child_of(const Json& record, std::string_view key);

/// The row a record belongs to; a single run may name only its method.
std::string row_of(const Json& record);
int64_t seed_of(const Json& record);

/// The last study record, so that a resumed study may restate itself; null without one.
const Json* study_of(const Records& records);

/// Of each (row, seed) the record of this kind with the largest step, the later of equals; of
/// curves one for each variant. Rows come in the order of their first record, seeds in ascending
/// order.
std::vector<const Json*> latest_of(const Records& records, std::string_view kind);

/// Mean and sample standard deviation (n - 1) of the finite values; NaN where there are too few.
struct Summary {
  double mean;
  double std;
  int64_t seeds = 0;       // how many values were finite
  int64_t not_finite = 0;  // how many were not, and so are in neither number
};
Summary summarize(const std::vector<double>& values);

}  // namespace adassl::report
