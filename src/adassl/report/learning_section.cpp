#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "adassl/records/health.h"
#include "adassl/report/html.h"
#include "adassl/report/numbers.h"
#include "adassl/report/sections.h"
#include "adassl/report/spark_line.h"
#include "adassl/report/untrained.h"

namespace adassl::report {
namespace {

/// The sections of metrics whose way since before the training is shown, in this order.
constexpr const char* kShown[] = {kLearningSection, kGeometrySection, kLatentSection,
                                  kResultsSection};

std::string verdict(const Record& health, const std::string& of) {
  const bool well = child_of(health.rest, "well") == Json(true);
  std::string out;
  for (const Json& sentence : child_of(health.rest, "says")) {
    if (!sentence.is_string()) continue;
    out += fmt::format("<li class=\"{}\">{}{}</li>\n", well ? "well" : "alarm",
                       of.empty() ? "" : "<b class=\"verdict\">" + escaped(of) + "</b> ",
                       escaped(sentence.get<std::string>()));
  }
  return out;
}

/// Whether all rows are of one model; its untrained version may have a row, too.
bool is_of_one_model(const Table& table) {
  return std::ranges::count_if(
             table.rows, [](const Row& row) { return !row.name.ends_with(kUntrainedSuffix); }) <= 1;
}

/// What the records say in words: of a single run everything, of several runs what is wrong.
std::string verdicts(const Table& table, const Records& records) {
  std::string items;
  const bool one_run = is_of_one_model(table);
  for (const Record* health : latest_of(records, records::kHealth)) {
    const std::string variant = text_of(health->rest, "variant");
    if (one_run) {
      items += verdict(*health, variant.empty() ? "" : variant + ":");
    } else if (child_of(health->rest, "well") == Json(false)) {
      std::string label = row_of(*health);
      for (const Row& row : table.rows) label = row.name == label ? row.label : label;
      if (!variant.empty()) label += ", " + variant;
      items += verdict(*health, fmt::format("{}, seed {}:", label, seed_of(*health)));
    }
  }
  return items.empty() ? "" : "<ul class=\"findings\">\n" + items + "</ul>\n";
}

/// One line of the table: a number before training, on its way, and at the end.
std::string line_of(const Metric& metric, const std::vector<Point>& points, int64_t colour) {
  return fmt::format(
      "<tr><th scope=\"row\">{}<small>{}</small></th><td>{}</td><td class=\"way\">{}</td>"
      "<td><b>{}</b></td></tr>\n",
      escaped(metric.label + (metric.unit.empty() ? "" : ", " + metric.unit)),
      escaped(metric.about), typeset(number_text(points.front().y)), spark_line(points, colour),
      typeset(number_text(points.back().y)));
}

/// The numbers that were also taken before training.
std::string numbers_since_before(const Table& table, const Record& curve) {
  std::string lines;
  for (const char* section : kShown) {
    for (const Metric& metric : metrics_in(section, curve.descriptions)) {
      const std::vector<Point> points = points_of(curve, metric.name);
      const bool since = points.size() > 1 && points.front().x == 0 &&
                         std::isfinite(points.front().y) && std::isfinite(points.back().y);
      if (since) lines += line_of(metric, points, table.rows.empty() ? 0 : table.rows[0].colour);
    }
  }
  if (lines.empty()) return "";
  return "<div class=\"scroll\"><table class=\"plain\"><thead><tr><th></th><th>before training</th>"
         "<th>on the way</th><th>now</th></tr></thead><tbody>\n" +
         lines + "</tbody></table></div>\n";
}

std::string picture(const Pictures& pictures, const std::string& name, const std::string& title) {
  const auto found = pictures.find(name);
  if (found == pictures.end()) return fmt::format("<small>{}</small>", escaped(title));
  return fmt::format(R"(<img alt="{0}" title="{0}" src="{1}"/>)", escaped(title),
                     png_link(storage::encode_png(found->second)));
}

std::string cell_of(const Json& sample, const Pictures& pictures) {
  std::string out;
  for (const Json& other : child_of(sample, "others")) {
    const std::string name = text_of(other, "name");
    const double similarity = number_of(other, "similarity").value_or(NAN);
    out += picture(pictures, name, fmt::format("{}  {}", name, number_text(similarity)));
  }
  return out;
}

/// Rows: samples; columns: steps.
std::string neighbours_table(const std::map<int64_t, const Record*>& steps,
                             const Pictures& pictures) {
  const Record& newest = *steps.rbegin()->second;
  std::string head, body;
  for (const auto& [step, record] : steps) {
    head += step == 0
                ? "<th>before training</th>"
                : fmt::format("<th>after {} steps</th>", count_text(static_cast<double>(step)));
  }
  for (const Json& sample : child_of(newest.rest, "samples")) {
    const std::string name = text_of(sample, "name");
    std::string cells;
    for (const auto& [step, record] : steps) {
      std::string cell;
      for (const Json& same : child_of(record->rest, "samples")) {
        if (text_of(same, "name") == name) cell = cell_of(same, pictures);
      }
      cells += "<td><div>" + cell + "</div></td>";
    }
    body += fmt::format("<tr><td class=\"asked\">{}<small>{}</small></td>{}</tr>\n",
                        picture(pictures, name, name), escaped(name), cells);
  }
  return "<div class=\"scroll\"><table class=\"neighbours\"><thead><tr><th>sample</th>" + head +
         "</tr></thead><tbody>\n" + body + "</tbody></table></div>\n";
}

/// What the samples are whose neighbours are shown; records of old runs do not tell.
std::string queries_of(const Record& neighbours) {
  const Json& held_out = child_of(neighbours.rest, "held_out");
  if (!held_out.is_boolean()) return "fixed samples";
  return held_out.get<bool>() ? "fixed held-out samples" : "fixed training samples";
}

std::string neighbours_of(const Records& records, const Pictures& pictures) {
  std::map<int64_t, const Record*> steps;
  for (const Record& record : records) {
    if (record.kind == records::kNeighbours && record.step) steps[*record.step] = &record;
  }
  if (steps.empty()) return "";
  const Record& newest = *steps.rbegin()->second;
  return fmt::format(
             "<h3>Nearest neighbours of {}</h3>\n<p class=\"note\">Among {} samples, by cosine "
             "similarity of the embeddings, the nearest first.</p>\n",
             queries_of(newest), count_text(number_of(newest.rest, "among").value_or(NAN))) +
         neighbours_table(steps, pictures);
}

}  // namespace

std::vector<std::string> names_of_neighbours(const Records& records) {
  std::set<std::string> names;
  for (const Record& record : records) {
    if (record.kind != records::kNeighbours) continue;
    for (const Json& sample : child_of(record.rest, "samples")) {
      names.insert(text_of(sample, "name"));
      for (const Json& other : child_of(sample, "others")) names.insert(text_of(other, "name"));
    }
  }
  return {names.begin(), names.end()};
}

std::string learning_section(const Table& table, const Records& records, const Pictures& pictures) {
  std::string body = verdicts(table, records);
  std::string note;
  if (is_of_one_model(table)) {
    for (const Record* curve : latest_of(records, records::kCurve)) {
      body += numbers_since_before(table, *curve);
    }
    for (const Record* health : latest_of(records, records::kHealth)) {
      const std::string watched = text_of(health->rest, "watched");
      if (watched.empty()) continue;
      note = fmt::format("Without labels, on {}. Dashed: before training.", escaped(watched));
    }
    body += neighbours_of(records, pictures);
  }
  return body.empty() ? "" : section("Is it learning?", note, body);
}

}  // namespace adassl::report
