#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "adassl/core/metric.h"

namespace adassl::records {

inline constexpr std::string_view kEvaluation =
    "evaluation";                                            // when asked, and at the end of a run
inline constexpr std::string_view kMilestone = "milestone";  // on a run's way, as it asked itself
inline constexpr std::string_view kCurve = "curve";          // what metrics.jsonl holds
inline constexpr std::string_view kDensity = "density";      // a picture
inline constexpr std::string_view kStudy = "study";          // what a study declares

/// One line of records.jsonl. What a record does not tell is empty.
struct Record {
  std::string kind;
  std::string row = {};  // of a study
  std::string method = {};
  std::optional<int64_t> seed = {};
  std::optional<int64_t> step = {};
  std::optional<bool> final = {};  // whether that step is the run's last
  std::string config_hash = {};    // of the configuration that it was made with
  std::string commit = {};
  std::string time = {};
  nlohmann::json host = nullptr;
  std::map<std::string, double> metrics = {};  // NaN where the value is no finite number
  std::map<std::string, std::vector<double>> vectors = {};
  Descriptions descriptions = {};                  // of metrics, vectors and curves
  nlohmann::json rest = nlohmann::json::object();  // what pictures, curves and studies carry

  bool operator==(const Record&) const = default;
};

using Records = std::vector<Record>;

/// Nothing where this is no record: no object, no kind, or a step, hash, metrics or vectors of
/// another type than they have. Other keys of a wrong type are dropped.
std::optional<Record> parse(const nlohmann::json& json);
/// Those that are records. Error where a line is no JSON object.
Records parse_all(const std::vector<nlohmann::json>& lines);

nlohmann::json to_json(const Record& record);
/// As JSON lines.
std::string to_lines(const Records& records);

/// The row a record belongs to; a single run may name only its method.
std::string row_of(const Record& record);

/// All descriptions that these records carry. They agree, unless versions of the program differ;
/// then the first counts.
Descriptions descriptions_of(const Records& records);

}  // namespace adassl::records
