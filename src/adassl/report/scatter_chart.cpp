#include "adassl/report/scatter_chart.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "adassl/report/axes.h"
#include "adassl/report/html.h"
#include "adassl/report/label_places.h"
#include "adassl/report/numbers.h"
#include "adassl/report/records.h"

namespace adassl::report {
namespace {

constexpr double kTop = 30, kBottom = 48, kLeft = 60, kRight = kScatterWidth - 8;
constexpr double kFloor = kScatterHeight - kBottom;
constexpr double kLetter = 7.8;   // width of a label's letter in a wide font
constexpr int64_t kLetters = 24;  // a longer label is cut short
constexpr double kKeyLine = 20;   // height of a line of the key
constexpr int kKeyLines = 6;      // more would leave no room for the picture
constexpr double kDot = 5.5, kRing = 4.5;
constexpr Interval kRoomAcross{0.07, 0.18}, kRoomUp{0.07, 0.07};  // room for names on the right

struct Frame {
  Scale x, y;
};

double or_zero(double std) { return std::isfinite(std) ? std : 0; }

/// The range of all means and error bars, limited to the values worth showing; `room` gives the
/// margins on both sides as shares of its length.
Interval range_along(const ScatterChart& chart, const ScatterAxis& axis, double Estimate::*mean,
                     double Estimate::*std, Interval room) {
  std::vector<double> ends;
  for (const ScatterPoint& point : chart.points) {
    for (const auto& estimate : {point.ours, point.paper}) {
      if (!estimate) continue;
      ends.push_back((*estimate).*mean - or_zero((*estimate).*std));
      ends.push_back((*estimate).*mean + or_zero((*estimate).*std));
    }
  }
  const Interval range = shown_range(axis.range, range_of(ends));
  const double length = range.high - range.low;
  return {range.low - room.low * length, range.high + room.high * length};
}

/// The place where an estimate is drawn. A value that the axes do not show is drawn at their ends.
struct Spot {
  Point at;
  Point outside;  // the direction in which it lies beyond the frame; (0, 0) within
  bool within() const { return outside.x == 0 && outside.y == 0; }
};

Spot spot_of(const Estimate& estimate, const Frame& frame) {
  const Point true_at{frame.x(estimate.x), frame.y(estimate.y)};
  const Point at{std::clamp(true_at.x, frame.x.to.low, frame.x.to.high),
                 std::clamp(true_at.y, frame.y.to.high, frame.y.to.low)};
  return {at, {true_at.x - at.x, true_at.y - at.y}};
}

std::string path_of(const std::vector<Point>& corners, Point at) {
  std::string out;
  for (const Point& corner : corners) {
    out += fmt::format("{}{} {}", out.empty() ? "M" : "L", coordinate(at.x + corner.x),
                       coordinate(at.y + corner.y));
  }
  return out + "Z";
}

/// A disc, a square, a diamond, or a triangle that points up or down, all of about the same area.
std::string shape(int64_t group, Point at, double radius, const std::string& attributes) {
  const double side = 0.89 * radius, tip = 1.25 * radius, wide = 1.37 * radius, foot = 0.8 * radius;
  const std::vector<std::vector<Point>> outlines = {
      {},
      {{-side, -side}, {side, -side}, {side, side}, {-side, side}},
      {{0, -tip}, {tip, 0}, {0, tip}, {-tip, 0}},
      {{0, -tip}, {wide, foot}, {-wide, foot}},
      {{0, tip}, {wide, -foot}, {-wide, -foot}}};
  const auto& outline = outlines[static_cast<size_t>(group) % outlines.size()];
  if (!outline.empty()) {
    return fmt::format(R"(<path d="{}" {}/>)", path_of(outline, at), attributes);
  }
  return fmt::format(R"(<circle cx="{}" cy="{}" r="{}" {}/>)", coordinate(at.x), coordinate(at.y),
                     radius, attributes);
}

std::string mark_of(const ScatterPoint& point, const Spot& spot, bool filled) {
  const std::string colour = colour_of(point.colour);
  if (!spot.within()) {  // an arrow in its direction
    const double degrees = std::atan2(spot.outside.y, spot.outside.x) * 57.29578;
    return fmt::format(R"_(<path class="{}" d="M6 0L-4 -5L-4 5Z" fill="{}" stroke="{}" )_"
                       R"_(transform="translate({} {}) rotate({:.0f})"/>)_",
                       filled ? "dot" : "ring", filled ? colour : "var(--paper)", colour,
                       coordinate(spot.at.x), coordinate(spot.at.y), degrees);
  }
  // A rim in the background colour separates overlapping marks.
  return filled ? shape(point.group, spot.at, kDot,
                        fmt::format(R"_(class="dot" fill="{}" stroke="var(--paper)")_", colour))
                : shape(point.group, spot.at, kRing,
                        fmt::format(R"_(class="ring" fill="var(--paper)" stroke="{}" )_"
                                    R"(stroke-width="1.8")",
                                    colour));
}

/// One standard deviation to each side, in both directions.
std::vector<Segment> bars_of(const Estimate& estimate, const Frame& frame) {
  const auto end = [&](double x, double y) { return spot_of({x, y, NAN, NAN}, frame).at; };
  std::vector<Segment> out;
  if (or_zero(estimate.x_std) > 0) {
    out.push_back({end(estimate.x - estimate.x_std, estimate.y),
                   end(estimate.x + estimate.x_std, estimate.y)});
  }
  if (or_zero(estimate.y_std) > 0) {
    out.push_back({end(estimate.x, estimate.y - estimate.y_std),
                   end(estimate.x, estimate.y + estimate.y_std)});
  }
  return out;
}

std::string line_of(const Segment& segment, const std::string& colour, double width,
                    double opacity) {
  return fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="{}" )"
                     R"(stroke-opacity="{}" stroke-linecap="round"/>)",
                     coordinate(segment.from.x), coordinate(segment.from.y),
                     coordinate(segment.to.x), coordinate(segment.to.y), colour, width, opacity);
}

/// The drawing, and the obstacles that names must avoid.
struct Drawing {
  std::string lines, rings, dots;
  Obstacles obstacles;
  std::vector<Anchor> anchors;
  std::vector<const ScatterPoint*> named;
};

std::string tooltip(const ScatterChart& chart, const ScatterPoint& point, const Estimate& estimate,
                    const char* whose) {
  const std::string group = chart.groups.at(static_cast<size_t>(point.group));
  return fmt::format("<title>{}{}{}, {}\n{} {}\n{} {}</title>", escaped(group),
                     group.empty() ? "" : ": ", escaped(point.label), whose, escaped(chart.x.title),
                     typeset(spread_text(estimate.x, estimate.x_std)), escaped(chart.y.title),
                     typeset(spread_text(estimate.y, estimate.y_std)));
}

void draw_estimate(Drawing& drawing, const ScatterChart& chart, const ScatterPoint& point,
                   const Frame& frame, bool filled) {
  const Estimate& estimate = filled ? *point.ours : *point.paper;
  const Spot spot = spot_of(estimate, frame);
  const double radius = 1.25 * (filled ? kDot : kRing) + 2;
  drawing.obstacles.marks.push_back(
      {spot.at.x - radius, spot.at.y - radius, spot.at.x + radius, spot.at.y + radius});
  for (const Segment& bar : bars_of(estimate, frame)) {
    drawing.lines += line_of(bar, colour_of(point.colour), filled ? 2 : 1.2, filled ? 0.75 : 0.5);
    drawing.obstacles.lines.push_back(bar);
  }
  (filled ? drawing.dots : drawing.rings) +=
      fmt::format("<g>{}{}</g>", tooltip(chart, point, estimate, filled ? "ours" : "the paper"),
                  mark_of(point, spot, filled));
}

Drawing drawing_of(const ScatterChart& chart, const Frame& frame) {
  Drawing out;
  for (const ScatterPoint& point : chart.points) {
    if (!point.ours && !point.paper) continue;
    if (point.ours && point.paper) {
      const Segment join{spot_of(*point.paper, frame).at, spot_of(*point.ours, frame).at};
      out.lines += line_of(join, colour_of(point.colour), 1, 0.6);
      out.obstacles.lines.push_back(join);
    }
    if (point.paper) draw_estimate(out, chart, point, frame, false);
    if (point.ours) draw_estimate(out, chart, point, frame, true);
    const auto letters = static_cast<double>(display_width(shortened(point.label, kLetters)));
    out.anchors.push_back({spot_of(point.ours ? *point.ours : *point.paper, frame).at, 1.25 * kDot,
                           kLetter * letters});
    out.named.push_back(&point);
  }
  return out;
}

/// Names beside their marks; a name that is far away is connected to its mark by a thread.
std::string names_of(const Drawing& drawing, double top) {
  const auto places =
      label_places(drawing.anchors, drawing.obstacles, {kLeft + 4, top, kRight, kFloor - 3});
  std::string threads, names;
  for (size_t i = 0; i < places.size(); ++i) {
    const Box& box = places[i];
    const Point at = drawing.anchors[i].at, centre = box.centre();
    const std::string colour = colour_of(drawing.named[i]->colour);
    const bool beside_right = box.left > at.x, beside_left = box.right < at.x;
    const double x = beside_right ? box.left : beside_left ? box.right : centre.x;
    names += fmt::format(
        R"(<text class="end beside" x="{}" y="{}" dy="4" text-anchor="{}" style="fill:{}">{}</text>)",
        coordinate(x), coordinate(centre.y),
        beside_right  ? "start"
        : beside_left ? "end"
                      : "middle",
        colour, escaped(shortened(drawing.named[i]->label, kLetters)));
    const Point near{std::clamp(at.x, box.left, box.right), std::clamp(at.y, box.top, box.bottom)};
    if (std::hypot(near.x - at.x, near.y - at.y) < 22) continue;
    threads += line_of({at, near}, colour, 0.8, 0.6);
  }
  return threads + names;
}

std::string axes_of(const ScatterChart& chart, const Frame& frame, double top) {
  std::string out;
  const auto y_ticks = nice_ticks(frame.y.from, 7);
  const auto y_texts = tick_texts(y_ticks);
  for (size_t i = 0; i < y_ticks.size(); ++i) {
    const std::string y = coordinate(frame.y(y_ticks[i]));
    out += fmt::format(R"(<line class="gridline" x1="{}" x2="{}" y1="{}" y2="{}"/>)"
                       R"(<text x="{}" y="{}" dy="4" text-anchor="end">{}</text>)",
                       kLeft, kRight, y, y, kLeft - 7, y, typeset(y_texts[i]));
  }
  const auto x_ticks = nice_ticks(frame.x.from, 7);
  const auto x_texts = tick_texts(x_ticks);
  for (size_t i = 0; i < x_ticks.size(); ++i) {
    const std::string x = coordinate(frame.x(x_ticks[i]));
    out += fmt::format(R"(<line class="gridline" x1="{}" x2="{}" y1="{}" y2="{}"/>)"
                       R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)",
                       x, x, coordinate(top), kFloor, x, kFloor + 18, typeset(x_texts[i]));
  }
  out += fmt::format(R"(<path class="line axis" d="M{0} {1}L{0} {2}L{3} {2}"/>)", kLeft,
                     coordinate(top), kFloor, kRight);
  out += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", (kLeft + kRight) / 2,
                     kScatterHeight - 8, escaped(chart.x.title));
  return out + fmt::format(R"_(<text transform="translate(13 {}) rotate(-90)" )_"
                           R"(text-anchor="middle">{}</text>)",
                           coordinate((top + kFloor) / 2), escaped(chart.y.title));
}

/// The word "better", and an arrow in the direction in which both metrics improve.
std::string direction_of(const ScatterChart& chart) {
  if (!chart.x.higher_is_better || !chart.y.higher_is_better) return "";
  return fmt::format(
      R"_(<g class="better"><text x="{}" y="14" text-anchor="end">better</text>)_"
      R"_(<path class="line axis" stroke-width="1.5" d="M-5 5L5 -5M-2 -5L5 -5L5 2" )_"
      R"_(transform="translate({} 10) scale({} {})"/></g>)_",
      kRight - 17, kRight - 7, *chart.x.higher_is_better ? 1 : -1,
      *chart.y.higher_is_better ? 1 : -1);
}

/// The key: the shape of each group that is drawn, as far as there is room. Moves `top` below the
/// key.
std::string key_of(const ScatterChart& chart, double& top) {
  std::set<int64_t> drawn;
  for (const ScatterPoint& point : chart.points) {
    if (point.ours || point.paper) drawn.insert(point.group);
  }
  std::string out;
  double x = kLeft;
  for (const int64_t group : drawn) {
    const std::string name = shortened(chart.groups.at(static_cast<size_t>(group)), 60);
    if (name.empty() || drawn.size() < 2) continue;
    const double width = 14 + 6.6 * static_cast<double>(display_width(name)) + 18;
    if (out.empty() || x + width > kScatterWidth + 18) {
      if (top >= kTop + kKeyLines * kKeyLine) break;
      x = kLeft;
      top += kKeyLine;
    }
    out += shape(group, {x + 5, top - 13}, kRing, R"_(fill="var(--muted)")_");
    out += fmt::format(R"(<text x="{}" y="{}">{}</text>)", coordinate(x + 15), coordinate(top - 9),
                       escaped(name));
    x += width;
  }
  return out;
}

}  // namespace

bool ScatterChart::empty() const {
  return std::none_of(points.begin(), points.end(),
                      [](const ScatterPoint& point) { return point.ours || point.paper; });
}

std::string scatter_chart(const ScatterChart& chart) {
  if (chart.empty()) return "";
  double top = kTop;
  const std::string key = key_of(chart, top);
  const Frame frame{
      {range_along(chart, chart.x, &Estimate::x, &Estimate::x_std, kRoomAcross), {kLeft, kRight}},
      {range_along(chart, chart.y, &Estimate::y, &Estimate::y_std, kRoomUp), {kFloor, top}}};
  const Drawing drawing = drawing_of(chart, frame);
  return fmt::format(R"(<figure class="scatter"><svg viewBox="0 0 {} {}" role="img" )"
                     R"(aria-label="{}: {} against {}">)",
                     kScatterWidth, kScatterHeight, escaped(chart.title), escaped(chart.y.title),
                     escaped(chart.x.title)) +
         fmt::format(R"(<text class="name" x="0" y="14">{}</text>)", escaped(chart.title)) + key +
         direction_of(chart) + axes_of(chart, frame, top) + drawing.lines + drawing.rings +
         drawing.dots + names_of(drawing, top) + "</svg></figure>\n";
}

}  // namespace adassl::report
