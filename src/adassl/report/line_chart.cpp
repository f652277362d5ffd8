#include "adassl/report/line_chart.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "adassl/report/axes.h"
#include "adassl/report/html.h"
#include "adassl/report/numbers.h"

namespace adassl::report {
namespace {

constexpr double kWidth = 520, kHeight = 290, kTop = 34, kBottom = 40, kLeft = 44;
constexpr double kLetter = 8.2;   // width of a label's letter in a wide font
constexpr int64_t kLetters = 20;  // a longer label is cut short; the legend is the table above
constexpr double kLine = 15;      // distance of two labels

bool finite(const Point& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

/// The path of a line. Points that would move it by less than half a pixel are left out.
std::string path_of(const std::vector<Point>& points, const Scale& x, const Scale& y) {
  std::string out;
  bool pen_down = false;
  Point last{0, 0};
  for (const Point& point : points) {
    if (!finite(point)) {
      pen_down = false;
      continue;
    }
    // Far outside the frame only the direction counts, and some renderers reject huge numbers.
    const Point at{x(point.x), std::clamp(y(point.y), -5000.0, 5000.0)};
    if (pen_down && std::abs(at.x - last.x) < 0.5 && std::abs(at.y - last.y) < 0.5) continue;
    out += fmt::format("{}{} {}", pen_down ? "L" : "M", coordinate(at.x), coordinate(at.y));
    pen_down = true;
    last = at;
  }
  return out;
}

std::string data_of(const std::vector<Point>& points) {
  std::string out;
  for (const Point& point : points) {
    if (!finite(point)) continue;
    out += fmt::format("{}{:.0f},{}", out.empty() ? "" : " ", point.x, number_text(point.y));
  }
  return out;
}

/// The end of a series: the last finite point of its mean, or else of a seed.
const Point* end_of(const Series& series, const std::vector<Point>& mean) {
  const Point* end = nullptr;
  for (const Point& point : mean) {
    if (finite(point)) end = &point;
  }
  if (end != nullptr) return end;
  for (const auto& seed : series.seeds) {
    for (const Point& point : seed) {
      if (finite(point) && (end == nullptr || point.x >= end->x)) end = &point;
    }
  }
  return end;
}

struct Frame {
  Scale x, y;
  double right;
  bool cut;
};

Frame frame_of(const LineChart& chart) {
  std::vector<double> xs, ys;
  int64_t letters = 0;
  for (const Series& series : chart.series) {
    letters = std::max(letters, display_width(series.label));
    for (const auto& seed : series.seeds) {
      for (const Point& point : seed) {
        if (!finite(point)) continue;
        xs.push_back(point.x);
        ys.push_back(point.y);
      }
    }
  }
  const double labels = kLetter * static_cast<double>(std::min(letters, kLetters)) + 18;
  const RobustRange range = robust_range_of(ys);
  const double pad = 0.04 * (range.range.high - range.range.low);
  const Interval y{range.range.low - pad, range.range.high + pad};
  const double right = kWidth - labels;
  return {{range_of(xs), {kLeft, right}}, {y, {kHeight - kBottom, kTop}}, right, range.cut};
}

std::string axes_of(const Frame& frame) {
  std::string out;
  const auto y_ticks = nice_ticks(frame.y.from, 5);
  const auto y_texts = tick_texts(y_ticks);
  for (size_t i = 0; i < y_ticks.size(); ++i) {
    const std::string y = coordinate(frame.y(y_ticks[i]));
    out += fmt::format(R"(<line class="gridline" x1="{}" x2="{}" y1="{}" y2="{}"/>)"
                       R"(<text x="{}" y="{}" dy="4" text-anchor="end">{}</text>)",
                       kLeft, coordinate(frame.right), y, y, kLeft - 7, y, typeset(y_texts[i]));
  }
  const auto x_ticks = nice_ticks(frame.x.from, 4);
  const auto x_texts = tick_texts(x_ticks);
  for (size_t i = 0; i < x_ticks.size(); ++i) {
    out += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)",
                       coordinate(frame.x(x_ticks[i])), kHeight - kBottom + 18, x_texts[i]);
  }
  out += fmt::format(R"(<line class="axis" x1="{}" x2="{}" y1="{}" y2="{}"/>)", kLeft,
                     coordinate(frame.right), kHeight - kBottom, kHeight - kBottom);
  out += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">step{}</text>)",
                     coordinate((kLeft + frame.right) / 2), kHeight - 5,
                     frame.cut ? " (axis shows the 2nd to 98th percentile)" : "");
  return out;
}

std::string lines_of(const Series& series, const std::vector<Point>& mean, const Frame& frame) {
  std::string out;
  const std::string colour = colour_of(series.colour);
  const char* dashes = series.colour >= kColours ? R"( stroke-dasharray="7 4")" : "";
  for (const auto& seed : series.seeds) {
    const std::string path = path_of(seed, frame.x, frame.y);
    if (path.empty()) continue;
    out += fmt::format(
        R"(<path class="line" d="{}" stroke="{}" stroke-width="1" stroke-opacity="0.38"/>)", path,
        colour);
  }
  const std::string path = path_of(mean, frame.x, frame.y);
  if (path.empty()) return out;
  return out + fmt::format(R"(<path class="line" d="{}" stroke="{}" stroke-width="2.4"{} )"
                           R"(data-label="{}" data-points="{}"/>)",
                           path, colour, dashes, escaped(series.label), data_of(mean));
}

struct End {
  const Series* series;
  Point at;  // on the page
};

std::string end_labels(const std::vector<End>& ends, const Frame& frame) {
  std::vector<double> wanted;
  for (const End& end : ends) wanted.push_back(end.at.y);
  const auto places = spread_apart(wanted, kLine, {kTop, kHeight - kBottom});
  std::string out;
  for (size_t i = 0; i < ends.size(); ++i) {
    const std::string colour = colour_of(ends[i].series->colour);
    const std::string y = coordinate(places[i]);
    out += fmt::format(R"(<path class="line" d="M{} {}L{} {}" stroke="{}" stroke-opacity="0.6"/>)"
                       R"(<circle cx="{}" cy="{}" r="2.8" fill="{}"/>)"
                       R"(<text class="end" x="{}" y="{}" dy="4" style="fill:{}">{}</text>)",
                       coordinate(ends[i].at.x + 3), coordinate(ends[i].at.y),
                       coordinate(frame.right + 11), y, colour, coordinate(ends[i].at.x),
                       coordinate(ends[i].at.y), colour, coordinate(frame.right + 14), y, colour,
                       escaped(shortened(ends[i].series->label, kLetters)));
  }
  return out;
}

}  // namespace

std::vector<Point> Series::mean() const {
  std::map<double, std::vector<double>> values;
  for (const auto& seed : seeds) {
    for (const Point& point : seed) {
      if (std::isfinite(point.x)) values[point.x].push_back(point.y);
    }
  }
  std::vector<Point> out;
  for (const auto& [step, at_step] : values) {
    if (at_step.size() < seeds.size()) continue;  // else the mean would jump as seeds come and go
    double sum = 0;
    for (const double value : at_step) sum += value;
    out.push_back({step, sum / static_cast<double>(at_step.size())});
  }
  return out;
}

std::string line_chart(const LineChart& chart) {
  const Frame frame = frame_of(chart);
  std::string lines;
  if (chart.reference) {
    const std::string y = coordinate(frame.y(*chart.reference));
    lines = fmt::format(
        R"(<line class="axis" stroke-dasharray="4 4" stroke-opacity="0.6" x1="{}" x2="{}" )"
        R"(y1="{}" y2="{}"/>)",
        kLeft, coordinate(frame.right), y, y);
  }
  std::vector<End> ends;
  for (const Series& series : chart.series) {
    const std::vector<Point> mean = series.mean();
    lines += lines_of(series, mean, frame);
    if (const Point* end = end_of(series, mean)) {
      const double y = std::clamp(frame.y(end->y), kTop, kHeight - kBottom);
      ends.push_back({&series, {frame.x(end->x), y}});
    }
  }
  if (ends.empty()) return "";
  std::string out =
      fmt::format(R"(<figure class="chart"><svg viewBox="0 0 {} {}" role="img" aria-label="{}" )"
                  R"(data-scale="{} {} {} {}">)",
                  kWidth, kHeight, escaped(chart.title), kLeft, coordinate(frame.right),
                  frame.x.from.low, frame.x.from.high);
  out += fmt::format(R"(<text class="name" x="0" y="14">{}</text>)", escaped(chart.title));
  out += axes_of(frame);
  out += fmt::format(
      R"(<clipPath id="{0}"><rect x="{1}" y="{2}" width="{3}" height="{4}"/></clipPath>)",
      escaped(chart.id), kLeft, kTop - 3, coordinate(frame.right - kLeft + 2),
      kHeight - kBottom - kTop + 6);
  out += fmt::format(R"(<line class="axis rule" y1="{}" y2="{}" style="opacity:0"/>)", kTop,
                     kHeight - kBottom);
  out += fmt::format(R"_(<g clip-path="url(#{})">{}</g>)_", escaped(chart.id), lines);
  return out + end_labels(ends, frame) + "</svg></figure>\n";
}

}  // namespace adassl::report
