#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace adassl {

enum class Better { kNeither, kHigher, kLower };

/// The values of a metric that are worth showing. An axis shows no others; what lies beyond its
/// ends becomes an arrow.
struct MetricRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool operator==(const MetricRange&) const = default;
};

/// An R² cannot exceed 1. It has no lower bound, but below -1 it only says "useless".
inline constexpr MetricRange kRSquaredRange{-1, 1};
inline constexpr MetricRange kShareRange{0, 1};

/// The sections of a page that are filled by metrics which ask for it.
inline constexpr const char* kResultsSection = "results";     // columns of a run's own table
inline constexpr const char* kDensitySection = "density";     // below the pictures of densities
inline constexpr const char* kLatentSection = "latent";       // how r is used
inline constexpr const char* kFactorsSection = "factors";     // vectors: one bar for each factor
inline constexpr const char* kGeometrySection = "geometry";   // of the embeddings
inline constexpr const char* kWallTimeSection = "wall_time";  // the run's duration, in the header

/// What a number says about itself. Whoever emits a number declares it; records carry the
/// declaration, so that tables, charts and pages need to know no metric by name.
struct Metric {
  std::string name = {};   // the key in a record
  std::string label = {};  // on a page; empty: the name
  std::string about = {};  // one line, may be empty
  std::string unit = {};   // may be empty
  Better better = Better::kNeither;
  MetricRange range = {};
  std::string section = {};  // empty: only in the list of all metrics
  int64_t order = 0;   // place among the metrics of a section and among curves; equals by name
  bool curve = false;  // whether a study's page draws its curve although it is no column
  bool operator==(const Metric&) const = default;
};

/// By name.
using Descriptions = std::map<std::string, Metric>;

}  // namespace adassl
