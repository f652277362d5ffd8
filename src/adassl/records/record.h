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
    "evaluation";  // made on request, and at the end of a run
inline constexpr std::string_view kUntrained =
    "untrained";  // an evaluation of the weights that the seed draws, before any training
inline constexpr std::string_view kMilestone = "milestone";  // made during training, at evaluate.at
inline constexpr std::string_view kCurve = "curve";          // the content of metrics.jsonl
inline constexpr std::string_view kDensity = "density";      // a picture
inline constexpr std::string_view kHealth = "health";        // whether the run learns, in words
inline constexpr std::string_view kNeighbours =
    "neighbours";  // of fixed samples, at several steps of a run
inline constexpr std::string_view kImportance =
    "importance";  // of each code for each factor: a picture, too
inline constexpr std::string_view kControl =
    "control";  // groups of dimensions of r, and which factors each changes
inline constexpr std::string_view kStudy = "study";  // the declaration of a study

/// One line of records.jsonl. Fields that the line does not have are empty.
struct Record {
  std::string kind;
  std::string row = {};  // the row of a study
  std::string method = {};
  std::optional<int64_t> seed = {};
  std::optional<int64_t> step = {};
  std::optional<bool> final = {};  // whether that step is the run's last
  std::string config_hash = {};    // of the configuration that produced the record
  std::string commit = {};
  std::string time = {};
  nlohmann::json host = nullptr;
  std::map<std::string, double> metrics = {};  // NaN if the value is not finite
  std::map<std::string, std::vector<double>> vectors = {};
  Descriptions descriptions = {};                  // of metrics, vectors and curves
  nlohmann::json rest = nlohmann::json::object();  // further keys of densities, curves and studies

  bool operator==(const Record&) const = default;
};

using Records = std::vector<Record>;

/// Returns nullopt if this is no record: it is no object, has no kind, or its step, hash, metrics
/// or vectors have the wrong type. Other keys of a wrong type are dropped.
std::optional<Record> parse(const nlohmann::json& json);
/// Parses the lines that are records and skips the others. Error if a line is no JSON object.
Records parse_all(const std::vector<nlohmann::json>& lines);

nlohmann::json to_json(const Record& record);
/// As JSON lines.
std::string to_lines(const Records& records);

/// The row a record belongs to; a single run may name only its method.
std::string row_of(const Record& record);

/// All descriptions that these records carry. Records from different versions of the program may
/// disagree; then the first description counts.
Descriptions descriptions_of(const Records& records);

}  // namespace adassl::records
