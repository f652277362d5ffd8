#include <algorithm>
#include <cmath>

#include "adassl/report/html.h"
#include "adassl/report/scatter_chart.h"
#include "adassl/report/sections.h"

namespace adassl::report {
namespace {

/// The index of the metric's column; the number of columns if there is none.
size_t column_of(const Table& table, const std::string& metric) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& column) { return column.metric == metric; });
  return static_cast<size_t>(found - table.columns.begin());
}

ScatterAxis axis_of(const Column& column, const std::string& title) {
  const bool said = column.group.empty() || column.group == title;
  return {said ? column.label : column.group + ": " + column.label, column.higher_is_better,
          column.range};
}

ScatterPoint point_of(const Row& row, const Cell& x, const Cell& y) {
  ScatterPoint out;
  out.label = row.label;
  out.colour = row.colour;
  if (x.seeds > 0 && y.seeds > 0) out.ours = Estimate{x.mean, y.mean, x.std, y.std};
  if (x.paper_mean && y.paper_mean) {
    out.paper = Estimate{*x.paper_mean, *y.paper_mean, x.paper_std.value_or(NAN),
                         y.paper_std.value_or(NAN)};
  }
  return out;
}

/// Groups keep their shapes in all charts of a page, whichever rows have records.
int64_t number_of_group(std::vector<std::string>& groups, const std::string& group) {
  const auto found = std::find(groups.begin(), groups.end(), group);
  const int64_t number = found - groups.begin();
  if (found == groups.end()) groups.push_back(group);
  return number;
}

ScatterChart chart_of(const Table& table, size_t x, size_t y, const std::string& label) {
  const Column &across = table.columns[x], &up = table.columns[y];
  ScatterChart out;
  out.title = label.empty() && across.group == up.group ? across.group : label;
  out.x = axis_of(across, out.title);
  out.y = axis_of(up, out.title);
  for (const Row& row : table.rows) {
    ScatterPoint point = point_of(row, row.cells[x], row.cells[y]);
    point.group = number_of_group(out.groups, row.group);
    out.points.push_back(std::move(point));
  }
  return out;
}

/// The scatter charts of the study that have anything to show. A chart whose metric is no column of
/// the table is left out.
std::vector<ScatterChart> charts_of(const Table& table, const Records& records) {
  std::vector<ScatterChart> out;
  const Json* study = study_of(records);
  if (study == nullptr) return out;
  for (const Json& scatter : child_of(*study, "scatters")) {
    const size_t x = column_of(table, text_of(scatter, "x"));
    const size_t y = column_of(table, text_of(scatter, "y"));
    if (std::max(x, y) >= table.columns.size()) continue;
    ScatterChart chart = chart_of(table, x, y, text_of(scatter, "label"));
    if (!chart.empty()) out.push_back(std::move(chart));
  }
  return out;
}

bool any_point(const std::vector<ScatterChart>& charts, bool (*condition)(const ScatterPoint&)) {
  return std::any_of(charts.begin(), charts.end(), [&](const ScatterChart& chart) {
    return std::any_of(chart.points.begin(), chart.points.end(), condition);
  });
}

bool has_std(const std::optional<Estimate>& estimate) {
  return estimate && (std::isfinite(estimate->x_std) || std::isfinite(estimate->y_std));
}

/// Explains the kinds of marks that occur in the charts.
std::string note_of(const std::vector<ScatterChart>& charts) {
  const bool ours = any_point(charts, [](const ScatterPoint& p) { return p.ours.has_value(); });
  const bool paper = any_point(charts, [](const ScatterPoint& p) { return p.paper.has_value(); });
  std::string out;
  if (std::all_of(charts.begin(), charts.end(), [](const ScatterChart& chart) {
        return chart.x.higher_is_better.value_or(false) && chart.y.higher_is_better.value_or(false);
      })) {
    out = "Up and to the right is better. ";
  }
  if (paper) {
    out += ours ? "Filled marks are ours, hollow ones the paper&#39;s, a thin line joins the two"
                : "Hollow marks are the paper&#39;s";
    out +=
        any_point(charts, [](const ScatterPoint& p) { return has_std(p.ours) || has_std(p.paper); })
            ? "; bars: one standard deviation over seeds."
            : ".";
  } else if (any_point(charts, [](const ScatterPoint& p) { return has_std(p.ours); })) {
    out += "Bars: one standard deviation over seeds.";
  }
  return out;
}

}  // namespace

std::vector<std::string> scatter_charts(const Table& table, const Records& records) {
  std::vector<std::string> out;
  for (const ScatterChart& chart : charts_of(table, records)) out.push_back(scatter_chart(chart));
  return out;
}

std::string scatter_section(const Table& table, const Records& records) {
  std::string body;
  for (const std::string& chart : scatter_charts(table, records)) body += chart;
  if (body.empty()) return "";
  return section("Trade-offs", note_of(charts_of(table, records)),
                 "<div class=\"grid2\">\n" + body + "</div>\n");
}

}  // namespace adassl::report
