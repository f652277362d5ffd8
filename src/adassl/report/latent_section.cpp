#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "adassl/report/axes.h"
#include "adassl/report/bars.h"
#include "adassl/report/html.h"
#include "adassl/report/sections.h"
#include "adassl/report/table_html.h"

namespace adassl::report {
namespace {

/// The vector of this name from the evaluations of one row, one for each seed.
std::vector<std::vector<double>> vectors_of(const std::vector<const Record*>& evaluations,
                                            const Row& row, const std::string& name) {
  std::vector<std::vector<double>> out;
  for (const Record* evaluation : evaluations) {
    if (row_of(*evaluation) != row.name) continue;
    const auto found = evaluation->vectors.find(name);
    if (found != evaluation->vectors.end() && !found->second.empty()) out.push_back(found->second);
  }
  return out;
}

/// Sorts the largest values first, and those that are not finite last. The dimensions of r have no
/// natural order, so the mean over seeds is taken by rank, not by index.
void rank(std::vector<double>& values) {
  std::stable_sort(values.begin(), values.end(), [](double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) return std::isfinite(a) && !std::isfinite(b);
    return a > b;
  });
}

double largest(const std::vector<std::vector<double>>& seeds) {
  double out = 0;
  for (const auto& seed : seeds) {
    for (const double value : seed) out = std::isfinite(value) ? std::max(out, value) : out;
  }
  return out;
}

std::string card(const Row& row, const Bars& chart, const std::string& values) {
  const std::string group = row.group.empty() ? "" : "<small>" + escaped(row.group) + "</small>";
  return fmt::format(
      R"(<div class="card"><b><span class="swatch" style="background:{}"></span>{}</b>{}{}{}</div>)"
      "\n",
      colour_of(row.colour), escaped(row.label), group, bars(chart), values);
}

/// One card for each row that has this vector, all on one scale. If the vector's description gives
/// its largest possible value, the scale reaches at least that far.
std::string cards_of(const Table& values, const Records& records, const std::string& vector,
                     bool ranked) {
  const auto evaluations = latest_of(records, records::kEvaluation);
  const std::string label = records::label_of(values.descriptions, vector);
  const Metric* described = records::find_metric(values.descriptions, vector);
  double top =
      described != nullptr && std::isfinite(described->range.high) ? described->range.high : 0;
  for (const Row& row : values.rows) {
    top = std::max(top, largest(vectors_of(evaluations, row, vector)));
  }
  top = nice_axis({0, top > 0 ? top : 1}, 3).range.high;
  std::string out;
  for (const Row& row : values.rows) {
    auto seeds = vectors_of(evaluations, row, vector);
    if (seeds.empty()) continue;
    if (ranked) std::for_each(seeds.begin(), seeds.end(), rank);
    const std::vector<std::string> names =
        described == nullptr || ranked ? std::vector<std::string>{} : described->entries;
    out += card(row, {label, row.colour, seeds, top, names}, value_list(values, row));
  }
  return out;
}

}  // namespace

std::string latent_section(const Records& records) {
  const Table values = make_table(records, columns_in(kLatentSection, records));
  std::string cards;
  for (const Metric& vector : metrics_in(kLatentSection, values.descriptions)) {
    cards += cards_of(values, records, vector.name, /*ranked=*/true);
  }
  if (cards.empty()) return "";
  return section("What r is used for",
                 "Bars: mean over seeds, dots: seeds. Dimensions are ranked by use within each "
                 "seed, for their order means nothing.",
                 R"(<div class="grid3">)" + cards + "</div>");
}

std::string factors_section(const Table& table, const Records& records) {
  std::set<std::string> names;
  for (const Record* evaluation : latest_of(records, records::kEvaluation)) {
    for (const auto& [name, values] : evaluation->vectors) {
      const Metric* described = records::find_metric(table.descriptions, name);
      if (described != nullptr && described->section == kFactorsSection) names.insert(name);
    }
  }
  Table rows_only = table;  // the cards show no numbers beside the bars
  rows_only.columns.clear();
  for (Row& row : rows_only.rows) row.cells.clear();
  std::string body;
  for (const std::string& name : names)
    body += cards_of(rows_only, records, name, /*ranked=*/false);
  if (body.empty()) return "";
  return section("Factor by factor",
                 "One bar for each factor or column; pointing at it shows its name.",
                 R"(<div class="grid3">)" + body + "</div>");
}

}  // namespace adassl::report
