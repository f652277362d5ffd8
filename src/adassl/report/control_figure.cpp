#include "adassl/report/control_figure.h"

#include <algorithm>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/report/html.h"

namespace adassl::report {
namespace {

constexpr double kSide = 72, kGap = 4, kMargin = 16, kHead = 44, kNames = 112, kBetween = 28;

std::string image(const storage::Image& pixels, double x, double y, double side) {
  ADASSL_CHECK(pixels.width > 0, "[imagine] expected samples that can be shown as pictures");
  return fmt::format(
      R"(<image x="{}" y="{}" width="{}" height="{}" preserveAspectRatio="xMidYMid meet" )"
      R"(href="{}"/>)",
      coordinate(x), coordinate(y), coordinate(side), coordinate(side),
      png_link(storage::encode_png(pixels)));
}

double step(size_t i) { return static_cast<double>(i) * (kSide + kGap); }

/// Left: x, what the expected r retrieves, and plain neighbours. Right: a line for each group.
std::string block(const ControlFigure::Query& query, double top, double right) {
  std::string out = image(query.x, kMargin, top, 2 * kSide + kGap);
  out += image(query.still, kMargin + step(2), top + kSide + kGap, kSide);
  for (size_t i = 0; i < std::min<size_t>(query.neighbours.size(), 3); ++i) {
    out += image(query.neighbours[i], kMargin + step(i), top + step(2), kSide);
  }
  for (size_t line = 0; line < query.rows.size(); ++line) {
    const ControlFigure::Row& row = query.rows[line];
    out += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)",
                       coordinate(right + kNames - 8), coordinate(top + step(line) + kSide / 2 + 4),
                       escaped(row.name));
    for (size_t i = 0; i < row.found.size(); ++i) {
      out += image(row.found[i], right + kNames + step(i), top + step(line), kSide);
    }
  }
  return out;
}

double height_of(const ControlFigure::Query& query) {
  return step(std::max<size_t>(query.rows.size(), 3));
}

}  // namespace

std::string control_picture(const ControlFigure& figure) {
  const double right = kMargin + step(3) + kBetween;
  size_t draws = 0;
  double top = kHead + kMargin;
  std::string body(kPaperGround);
  body += column_head(kMargin, "x", "beside it: expected r; below: nearest neighbours");
  body += column_head(right + kNames, "one part of r sampled", "the rest at its expectation");
  for (const ControlFigure::Query& query : figure.queries) {
    body += block(query, top, right);
    for (const ControlFigure::Row& row : query.rows) draws = std::max(draws, row.found.size());
    top += height_of(query) + kBetween;
  }
  return svg_picture(right + kNames + step(draws) + kMargin, top, body);
}

}  // namespace adassl::report
