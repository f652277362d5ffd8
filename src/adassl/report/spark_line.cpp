#include "adassl/report/spark_line.h"

#include <cmath>

#include <fmt/format.h>

#include "adassl/report/axes.h"
#include "adassl/report/html.h"

namespace adassl::report {

std::string spark_line(const std::vector<Point>& points, int64_t colour) {
  constexpr double kWidth = 240, kHeight = 34, kEdge = 4;
  std::vector<double> xs, ys;
  for (const Point& point : points) {
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
    xs.push_back(point.x);
    ys.push_back(point.y);
  }
  if (ys.empty()) return "";
  const Scale x{range_of(xs), {kEdge, kWidth - kEdge}};
  const Scale y{range_of(ys), {kHeight - kEdge, kEdge}};
  std::string path;
  bool down = false;
  for (const Point& point : points) {
    const bool there = std::isfinite(point.x) && std::isfinite(point.y);
    if (there) {
      path +=
          fmt::format("{}{} {}", down ? "L" : "M", coordinate(x(point.x)), coordinate(y(point.y)));
    }
    down = there;
  }
  return fmt::format(
      R"(<svg class="spark" viewBox="0 0 {0} {1}" width="{0}" height="{1}" aria-hidden="true">)"
      R"(<line class="axis" stroke-dasharray="4 3" stroke-opacity="0.7" x1="0" x2="{0}" y1="{2}" )"
      R"(y2="{2}"/>)"
      R"(<path class="line" d="{3}" stroke="{4}" stroke-width="2"/>)"
      R"(<circle cx="{5}" cy="{6}" r="3" fill="{4}"/></svg>)",
      kWidth, kHeight, coordinate(y(ys.front())), path, colour_of(colour), coordinate(x(xs.back())),
      coordinate(y(ys.back())));
}

}  // namespace adassl::report
