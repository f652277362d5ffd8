#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adassl::report {

/// One bar for each position: the mean over seeds, with a dot for each seed.
struct Bars {
  std::string label;  // of the vertical axis
  int64_t colour = 0;
  std::vector<std::vector<double>> seeds;  // [seeds][positions]; lengths may differ
  double top = 1;                          // upper end of the axis, the same in neighbouring charts
  std::vector<std::string> names = {};     // of the positions; without them they are numbered
};

std::string bars(const Bars& chart);

}  // namespace adassl::report
