#include "adassl/report/sections.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "adassl/core/text.h"
#include "adassl/report/density_panels.h"
#include "adassl/report/html.h"
#include "adassl/report/line_chart.h"
#include "adassl/report/numbers.h"
#include "adassl/report/table_html.h"

namespace adassl::report {
namespace {

/// The facts about all runs for the header of a page, without repetitions.
struct Runs {
  std::set<int64_t> seeds;
  std::set<std::string> commits, hosts;
  double wall_seconds = 0;
  int64_t timed = 0, count = 0;
};

Runs runs_of(const Records& records) {
  Runs out;
  const std::vector<Column> times = columns_in(kWallTimeSection, records);
  for (const Record* evaluation : latest_of(records, records::kEvaluation)) {
    ++out.count;
    out.seeds.insert(seed_of(*evaluation));
    if (!evaluation->commit.empty()) out.commits.insert(evaluation->commit.substr(0, 12));
    const Json& host = evaluation->host;
    const double threads = number_of(host, "threads").value_or(NAN);
    std::string machine = text_of(host, "cpu");
    if (std::abs(threads) < 9e15) {
      machine += (machine.empty() ? "" : ", ") + plural(static_cast<int64_t>(threads), "thread");
    }
    if (!machine.empty()) out.hosts.insert(machine);
    for (const Column& time : times) {
      const double wall = metric_of(*evaluation, time.metric).value_or(NAN);
      if (!std::isfinite(wall)) continue;
      out.wall_seconds += wall;
      ++out.timed;
    }
  }
  return out;
}

std::string fact(const std::string& name, const std::string& value, bool wide = false) {
  if (value.empty()) return "";
  return fmt::format("<div{}><dt>{}</dt><dd>{}</dd></div>", wide ? " class=\"wide\"" : "", name,
                     escaped(value));
}

std::string listed(const std::set<std::string>& words) {
  return text::list({words.begin(), words.end()});
}

/// The verdicts on the paper's claims.
std::string findings_text(const Table& table) {
  std::string items;
  for (const Finding& finding : table.findings) {
    items += fmt::format("<li><b class=\"verdict\">{}</b> {}</li>\n", escaped(finding.verdict),
                         escaped(finding.text));
  }
  return items.empty() ? "" : "<ul class=\"findings\">\n" + items + "</ul>\n";
}

bool has_spread(const Table& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const Row& row) { return row.seeds > 1; });
}

/// "15 of 18 numbers lie within two of the paper's standard deviations."
std::string agreement_text(const Table& table) {
  int64_t compared = 0, within = 0;
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) {
      if (!cell.deviations) continue;
      ++compared;
      within += std::abs(*cell.deviations) <= 2;
    }
  }
  if (compared == 0) return "";
  return fmt::format(R"(<p class="note after">{} of {} compared numbers lie within two of the )"
                     "paper's standard deviations.</p>\n",
                     within, compared);
}

/// Whether two finite values of a curve differ. What was not taken at every step, such as a loss
/// before the first one, is not a number there.
bool varies(const std::vector<Point>& points) {
  const auto is_finite = [](const Point& point) { return std::isfinite(point.y); };
  const auto first = std::ranges::find_if(points, is_finite);
  return std::any_of(first, points.end(),
                     [&](const Point& point) { return is_finite(point) && point.y != first->y; });
}

/// The metrics whose curves are drawn: first the columns of the table, then those with
/// `Metric::curve`, and for a single row everything else that was recorded and is no constant.
std::vector<std::string> curve_metrics(const Table& table,
                                       const std::vector<const Record*>& curves) {
  std::set<std::string> recorded;
  for (const Record* curve : curves) {
    for (const auto& item : child_of(curve->rest, "points").items()) recorded.insert(item.key());
  }
  recorded.erase("step");
  std::vector<std::string> out;
  const auto take = [&](const std::string& name) {
    if (recorded.erase(name) > 0) out.push_back(name);
  };
  for (const Column& column : table.columns) take(column.metric);
  std::vector<Metric> wanted;
  for (const auto& [name, metric] : table.descriptions) {
    if (metric.curve) wanted.push_back(metric);
  }
  std::ranges::stable_sort(wanted, {}, &Metric::order);
  for (const Metric& metric : wanted) take(metric.name);
  if (table.rows.size() > 1) return out;
  for (const std::string& name : recorded) {
    const bool drawn = std::ranges::any_of(
        curves, [&](const Record* curve) { return varies(points_of(*curve, name)); });
    if (drawn) out.push_back(name);
  }
  return out;
}

/// The curves of one metric for the rows of one group.
LineChart chart_of(const Table& table, const std::vector<const Record*>& curves,
                   const std::string& group, const std::string& metric) {
  LineChart chart;
  chart.title = label_of(table, metric);
  for (const Row& row : table.rows) {
    if (row.group != group) continue;
    Series series{row.label, row.colour, {}};
    for (const Record* curve : curves) {
      if (row_of(*curve) != row.name) continue;
      auto points = points_of(*curve, metric);
      if (!points.empty()) series.seeds.push_back(std::move(points));
    }
    if (!series.seeds.empty()) chart.series.push_back(std::move(series));
  }
  if (table.rows.size() == 1 && !chart.series.empty()) {
    const Point first = chart.series.front().seeds.front().front();
    if (first.x == 0 && std::isfinite(first.y)) chart.reference = first.y;
  }
  return chart;
}

std::vector<std::string> groups_of(const Table& table) {
  std::vector<std::string> out;
  for (const Row& row : table.rows) {
    if (out.empty() || out.back() != row.group) out.push_back(row.group);
  }
  return out;
}

}  // namespace

std::vector<Point> points_of(const Record& curve, const std::string& metric) {
  const std::vector<double> steps = numbers_of(child_of(curve.rest, "points"), "step");
  const std::vector<double> values = numbers_of(child_of(curve.rest, "points"), metric);
  std::vector<Point> out;
  for (size_t i = 0; i < std::min(steps.size(), values.size()); ++i) {
    out.push_back({steps[i], values[i]});
  }
  return out;
}

std::string header_section(const Table& table, const Records& records, const std::string& title) {
  std::string out = "<header>\n";
  if (!table.reference.empty()) {
    out += fmt::format(
        "<p class=\"source\">Reproduction of {} of “Self-supervised learning from structural "
        "invariance”</p>\n",
        escaped(table.reference));
  }
  out += fmt::format("<h1>{}</h1>\n", escaped(title));
  if (!table.headline.empty()) {
    out += fmt::format("<p class=\"found\">{}</p>\n", escaped(table.headline));
  }
  out += findings_text(table);
  if (!table.about.empty()) out += fmt::format("<p class=\"lead\">{}</p>\n", escaped(table.about));
  const Runs runs = runs_of(records);
  std::vector<std::string> seeds;
  for (const int64_t seed : runs.seeds) seeds.push_back(std::to_string(seed));
  const auto done = std::count_if(table.rows.begin(), table.rows.end(),
                                  [](const Row& row) { return row.seeds > 0; });
  const auto rows = static_cast<int64_t>(table.rows.size());
  std::string facts = fact("Training", budget_text(table), true);
  facts += fact("Seeds", text::list(seeds));
  if (done < rows) facts += fact("Rows with records", fmt::format("{} of {}", done, rows));
  if (runs.timed > 0) {
    facts += fact("Wall time", text::duration(runs.wall_seconds) +
                                   (runs.timed > 1 ? fmt::format(" for {} runs", runs.timed) : ""));
  }
  facts += fact("Machine", listed(runs.hosts), true);
  facts += fact("Commit", listed(runs.commits));
  if (!facts.empty()) out += "<dl class=\"facts\">" + facts + "</dl>\n";
  return out + "</header>\n";
}

namespace {

/// A few rows of a great many numbers, such as those of one run on data with many columns, would
/// be wider than any screen. They are listed instead.
std::string results_body(const Table& table) {
  constexpr size_t kMostColumns = 12, kFewRows = 4;
  const bool long_lines = table.columns.size() > kMostColumns && !table.has_paper();
  if (long_lines && table.rows.size() == 1) return value_list(table, table.rows.front(), " wide");
  if (long_lines && table.rows.size() <= kFewRows) return metrics_table(table);
  return results_table(table);
}

}  // namespace

std::string results_section(const Table& table) {
  if (table.rows.empty() || table.columns.empty()) return "";
  std::string note = has_spread(table) ? "Mean ± sample standard deviation over seeds" : "One seed";
  if (table.has_paper()) {
    note +=
        "; filled dots are ours, rings (○) the paper&#39;s, bars one standard deviation. "
        "σ counts the difference in the paper&#39;s standard deviations";
  }
  note += ".";
  if (table.has_best()) note += " Bold: best of its column and group.";
  if (table.leaves_out_seeds()) note += " †: without the seeds whose value is not finite.";
  return section("Results", note, results_body(table) + agreement_text(table));
}

std::string curves_section(const Table& table, const Records& records) {
  const auto curves = latest_of(records, records::kCurve);
  const auto metrics = curve_metrics(table, curves);
  std::string body;
  int64_t number = 0;
  for (const std::string& group : groups_of(table)) {
    std::string charts;
    for (const std::string& metric : metrics) {
      LineChart chart = chart_of(table, curves, group, metric);
      chart.id = fmt::format("frame{}", number++);
      charts += line_chart(chart);
    }
    if (charts.empty()) continue;
    if (!group.empty()) body += "<h3>" + escaped(group) + "</h3>\n";
    body += "<div class=\"grid2\">\n" + charts + "</div>\n";
  }
  if (body.empty()) return "";
  return section("Learning curves",
                 has_spread(table) ? "Thin lines are seeds, bold lines their mean." : "", body);
}

std::vector<std::vector<std::string>> column_charts(const Table& table, const Records& records) {
  const auto curves = latest_of(records, records::kCurve);
  const std::vector<std::string> groups = groups_of(table);
  std::vector<std::vector<std::string>> out;
  int64_t number = 0;
  for (const std::string& group : groups) {
    std::vector<std::string> charts;
    for (const Column& column : table.columns) {
      LineChart chart = chart_of(table, curves, group, column.metric);
      chart.id = fmt::format("frame{}", number++);
      if (groups.size() > 1 && !group.empty()) chart.title += ": " + group;
      if (std::string drawn = line_chart(chart); !drawn.empty()) charts.push_back(std::move(drawn));
    }
    if (!charts.empty()) out.push_back(std::move(charts));
  }
  return out;
}

std::string density_section(const Table& table, const Records& records) {
  const std::string cards = density_cards(table, records);
  if (cards.empty()) return "";
  return section("Conditional densities",
                 "Bands hold 90, 70, 50, 30 and 10% of the samples; dashed lines are the "
                 "truth&#39;s 90% and 50%. Distances: mean over seeds, lower is closer.",
                 cards);
}

std::string geometry_section(const Records& records) {
  const std::vector<Column> columns = columns_in(kGeometrySection, records);
  if (columns.empty()) return "";
  const Table table = make_table(records, columns);
  std::string notes;
  for (const Column& column : columns) {
    const std::string& about = table.descriptions.at(column.metric).about;
    if (about.empty()) continue;
    notes += fmt::format("{}<b>{}</b>: {}.", notes.empty() ? "" : " ", escaped(column.label),
                         escaped(about));
  }
  return section("Geometry of the embeddings", notes, plain_table(table));
}

std::string all_metrics_section(const Records& records) {
  const Table table = make_table(records, all_metrics(records));
  if (table.columns.empty()) return "";
  return "<details><summary>All metrics</summary>\n" + metrics_table(table) + "</details>\n";
}

}  // namespace adassl::report
