#include "adassl/report/picture.h"

#include <algorithm>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/report/html.h"
#include "adassl/report/scatter_chart.h"
#include "adassl/report/sections.h"
#include "adassl/report/table.h"

namespace adassl::report {
namespace {

constexpr double kWidth = 520, kHeight = 290, kGap = 24;

/// The svg element inside a figure, placed at x, y.
std::string placed(const std::string& figure, double x, double y, double width, double height) {
  const size_t begin = figure.find("<svg ");
  const size_t end = figure.find("</svg>");
  ADASSL_CHECK(begin != std::string::npos && end != std::string::npos,
               "[picture] no chart to place");
  return fmt::format(R"(<svg x="{}" y="{}" width="{}" height="{}" {}</svg>)", x, y, width, height,
                     figure.substr(begin + 5, end - begin - 5));
}

using Charts = std::vector<std::string>;

/// Divides charts evenly into rows of up to three; four in a row would be illegible on a page.
void add_rows(const Charts& charts, std::vector<Charts>& rows) {
  const size_t count = (charts.size() + 2) / 3;
  const size_t columns = (charts.size() + count - 1) / count;
  for (size_t i = 0; i < charts.size(); ++i) {
    if (i % columns == 0) rows.emplace_back();
    rows.back().push_back(charts[i]);
  }
}

/// Arranges charts of one size; each group begins a row.
std::string picture_of(const std::vector<Charts>& groups, double width, double height) {
  std::vector<Charts> rows;
  for (const Charts& group : groups) add_rows(group, rows);
  const auto x = [&](size_t column) { return kGap + static_cast<double>(column) * (width + kGap); };
  const auto y = [&](size_t row) { return kGap + static_cast<double>(row) * (height + kGap); };
  std::string body(kPaperGround);
  size_t columns = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    columns = std::max(columns, rows[row].size());
    for (size_t column = 0; column < rows[row].size(); ++column) {
      body += placed(rows[row][column], x(column), y(row), width, height);
    }
  }
  return svg_picture(x(columns), y(rows.size()), body);
}

}  // namespace

std::string curves_picture(const Records& records) {
  const auto charts = column_charts(make_table(records), records);
  ADASSL_CHECK(!charts.empty(), "[picture] expected records with learning curves, got none");
  return picture_of(charts, kWidth, kHeight);
}

std::string scatter_picture(const Records& records) {
  const auto charts = scatter_charts(make_table(records), records);
  ADASSL_CHECK(!charts.empty(),
               "[picture] expected records of a study with [[scatters]] and points for them, got "
               "none");
  return picture_of({charts}, kScatterWidth, kScatterHeight);
}

}  // namespace adassl::report
