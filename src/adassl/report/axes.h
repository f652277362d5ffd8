#pragma once

#include <string>
#include <vector>

namespace adassl::report {

struct Interval {
  double low;
  double high;
};

/// The smallest interval around all finite values; [0, 1] if there are none, widened if it has no
/// length.
Interval range_of(const std::vector<double>& values);

/// Like range_of, but where a few extreme values would flatten all others (the first steps of a
/// loss) the 2nd and 98th percentile bound the interval.
struct RobustRange {
  Interval range;
  bool cut;
};
RobustRange robust_range_of(const std::vector<double>& values);

/// Multiples of 1, 2 or 5 times a power of ten within the interval, about `count` of them.
std::vector<double> nice_ticks(Interval range, int count);
/// The interval, widened to the next nice ticks, and these ticks.
struct Axis {
  Interval range;
  std::vector<double> ticks;
};
Axis nice_axis(Interval range, int count);
/// Labels with as many decimals as the ticks' distance needs; "20k" and "3M" where they are large.
std::vector<std::string> tick_texts(const std::vector<double>& ticks);

/// Maps an interval of values to an interval of the page (which may run downwards).
struct Scale {
  Interval from;
  Interval to;
  double operator()(double value) const {
    return to.low + (value - from.low) / (from.high - from.low) * (to.high - to.low);
  }
};

/// Positions at least `gap` apart that stay as near as possible (least squares) to the wanted ones
/// and within the interval, in the same order: so labels at the ends of lines do not overlap. The
/// gap shrinks if there is not enough room for all.
std::vector<double> spread_apart(const std::vector<double>& wanted, double gap, Interval within);

}  // namespace adassl::report
