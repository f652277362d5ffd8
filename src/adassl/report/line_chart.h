#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adassl/report/contour.h"

namespace adassl::report {

/// One row's curve: a thin line for each seed, a bold one for their mean. A value that is not
/// finite interrupts its line.
struct Series {
  std::string label;
  int64_t colour = 0;
  std::vector<std::vector<Point>> seeds;

  /// Over the steps at which all seeds have a value; NaN where one of them is not finite.
  std::vector<Point> mean() const;
};

struct LineChart {
  std::string id;  // unique on the page
  std::string title;
  std::vector<Series> series;
  std::optional<double> reference = {};  // a dashed line, such as the value before training
};

/// A figure with labels at the ends of the lines; empty where there is nothing to draw.
std::string line_chart(const LineChart& chart);

}  // namespace adassl::report
