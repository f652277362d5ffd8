#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace adassl {

enum class Better { kNeither, kHigher, kLower };

/// The values of a metric that are worth showing. A chart's axis shows no other values; a value
/// outside the range is drawn as an arrow.
struct MetricRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool operator==(const MetricRange&) const = default;
};

/// An R² cannot exceed 1. It has no lower bound, but below -1 it only says "useless".
inline constexpr MetricRange kRSquaredRange{-1, 1};
inline constexpr MetricRange kShareRange{0, 1};

/// The sections of a report page. A metric appears in the section that `Metric::section` names.
inline constexpr const char* kResultsSection = "results";     // columns of a run's own table
inline constexpr const char* kDensitySection = "density";     // below the pictures of densities
inline constexpr const char* kLatentSection = "latent";       // how r is used
inline constexpr const char* kFactorsSection = "factors";     // vectors: one bar for each factor
inline constexpr const char* kGeometrySection = "geometry";   // of the embeddings
inline constexpr const char* kLearningSection = "learning";   // whether a run learns
inline constexpr const char* kWallTimeSection = "wall_time";  // the run's duration, in the header

/// The description of a metric. The code that computes a metric declares it; records carry the
/// declaration, so that no table, chart or page needs to know a metric by name.
struct Metric {
  std::string name = {};   // the key in a record
  std::string label = {};  // shown on a page; if empty, the name is shown
  std::string about = {};  // one line, may be empty
  std::string unit = {};   // may be empty
  Better better = Better::kNeither;
  MetricRange range = {};
  std::string section = {};  // empty: only in the list of all metrics
  int64_t order = 0;         // position within a section and among curves; ties go by name
  bool curve = false;        // draw its curve on a study's page even if it is no column
  std::vector<std::string> entries = {};  // the names of a vector's values, if they have names
  bool operator==(const Metric&) const = default;
};

/// Metrics by name.
using Descriptions = std::map<std::string, Metric>;

}  // namespace adassl
