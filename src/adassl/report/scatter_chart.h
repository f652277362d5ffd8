#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adassl/core/metric.h"

namespace adassl::report {

/// Two metrics at once, each with its standard deviation (NaN where there is none).
struct Estimate {
  double x, y;
  double x_std, y_std;
};

/// One row: ours, the paper's, or both.
struct ScatterPoint {
  std::string label;
  int64_t colour = 0;
  int64_t group = 0;  // decides the shape of the marks
  std::optional<Estimate> ours, paper;
};

struct ScatterAxis {
  std::string title;
  std::optional<bool> higher_is_better;
  MetricRange range = {};  // the values worth showing
};

/// One metric against another, one mark for each row.
struct ScatterChart {
  std::string title;
  ScatterAxis x, y;
  std::vector<std::string> groups;  // their names, "" for rows without one
  std::vector<ScatterPoint> points;

  bool empty() const;  // no row has a point yet
};

inline constexpr double kScatterWidth = 520, kScatterHeight = 440;

/// A figure with names beside the marks: ours filled, the paper's hollow, a thin line between the
/// two, bars for one standard deviation. Empty where there is nothing to draw.
std::string scatter_chart(const ScatterChart& chart);

}  // namespace adassl::report
