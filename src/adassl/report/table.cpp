#include "adassl/report/table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "adassl/report/claims.h"
#include "adassl/report/headline.h"
#include "adassl/report/numbers.h"
#include "adassl/report/untrained.h"

namespace adassl::report {
namespace {

/// What the study says about a row: its entry in "rows", or an empty object.
using Planned = std::map<std::string, const Json*>;

MetricRange range_of(const Descriptions& descriptions, const std::string& metric) {
  const Metric* described = records::find_metric(descriptions, metric);
  return described == nullptr ? MetricRange{} : described->range;
}

Column derived_column(const Descriptions& descriptions, const std::string& metric) {
  Column out{
      metric, records::label_of(descriptions, metric), "", {}, range_of(descriptions, metric)};
  const Metric* described = records::find_metric(descriptions, metric);
  if (described != nullptr && described->better != Better::kNeither) {
    out.higher_is_better = described->better == Better::kHigher;
  }
  return out;
}

std::optional<bool> direction_of(const Json& object) {
  const Json& value = child_of(object, "higher_is_better");
  return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
}

std::vector<Column> columns_of(const Records& records, const Json* study) {
  const Descriptions descriptions = records::descriptions_of(records);
  std::vector<Column> out;
  if (study != nullptr) {
    for (const Json& column : child_of(*study, "columns")) {
      const std::string metric = text_of(column, "metric");
      const auto direction = direction_of(column);
      out.push_back({metric, text_of(column, "label", records::label_of(descriptions, metric)),
                     text_of(column, "group"), direction ? direction : direction_of(*study),
                     range_of(descriptions, metric)});
    }
  }
  if (!out.empty()) return out;
  for (const Column& column : columns_in(kResultsSection, records)) {
    out.push_back(derived_column(descriptions, column.metric));
  }
  return out.empty() ? all_metrics(records) : out;
}

/// The study's rows, then those that only the records know; groups stand together.
std::vector<Row> rows_of(const Records& records, const Json* study, Planned& planned) {
  std::vector<Row> rows;
  const auto add = [&](const std::string& name, const std::string& label, const Json* plan) {
    if (planned.contains(name)) return;
    static const Json nothing = Json::object();
    planned[name] = plan == nullptr ? &nothing : plan;
    Row row;
    row.name = name;
    row.label = label;
    row.group = text_of(*planned[name], "group");
    if (name.ends_with(kUntrainedSuffix)) {  // it belongs to the row of the trained model
      const std::string trained = name.substr(0, name.size() - kUntrainedSuffix.size());
      const auto own = std::ranges::find(rows, trained, &Row::name);
      if (own != rows.end()) row.label = own->label + std::string(kUntrainedSuffix);
      if (own != rows.end()) row.group = own->group;
    }
    rows.push_back(row);
  };
  if (study != nullptr) {
    for (const Json& plan : child_of(*study, "rows")) {
      const std::string name = text_of(plan, "name");
      add(name, text_of(plan, "label", name), &plan);
    }
  }
  for (const bool untrained :
       {false, true}) {  // a run writes the record of the untrained one first
    for (const auto kind : {records::kEvaluation, records::kCurve, records::kDensity}) {
      for (const Record* record : latest_of(records, kind)) {
        const std::string row = row_of(*record);
        if (row.ends_with(kUntrainedSuffix) != untrained) continue;
        add(row, record->method.empty() ? row : record->method, nullptr);
      }
    }
  }
  std::map<std::string, int64_t> group_order, colours;
  for (Row& row : rows) {
    group_order.try_emplace(row.group, static_cast<int64_t>(group_order.size()));
    row.colour = colours.try_emplace(row.label, static_cast<int64_t>(colours.size())).first->second;
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return group_order[a.group] < group_order[b.group];
  });
  return rows;
}

Cell make_cell(const std::vector<const Record*>& evaluations, const Json& plan,
               const std::string& metric) {
  std::vector<double> values;
  for (const Record* evaluation : evaluations) {
    if (const auto value = metric_of(*evaluation, metric)) values.push_back(*value);
  }
  const Summary ours = summarize(values);
  Cell cell{ours.mean, ours.std, ours.seeds, ours.not_finite, {}, {}, {}};
  const Json& paper = child_of(plan, "paper");
  const std::vector<double> pair = numbers_of(paper, metric);
  const double paper_mean = pair.empty() ? number_of(paper, metric).value_or(NAN) : pair[0];
  if (std::isfinite(paper_mean)) cell.paper_mean = paper_mean;
  if (pair.size() > 1 && std::isfinite(pair[1])) cell.paper_std = pair[1];
  if (cell.seeds > 0 && cell.paper_mean && cell.paper_std && *cell.paper_std > 0) {
    cell.deviations = (cell.mean - *cell.paper_mean) / *cell.paper_std;
  }
  return cell;
}

/// Marks the best values. Values that read the same are equally good. A single value is not marked,
/// and none is where a row of the group is unfinished: its steps are not those of the others.
void mark_best(Table& table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].higher_is_better) continue;
    const double sign = *table.columns[c].higher_is_better ? 1 : -1;
    std::map<std::string, std::vector<Cell*>> groups;
    std::set<std::string> unfinished;
    for (Row& row : table.rows) {
      if (row.cells[c].seeds > 0) groups[row.group].push_back(&row.cells[c]);
      if (row.unfinished) unfinished.insert(row.group);
    }
    for (auto& [group, cells] : groups) {
      if (cells.size() < 2 || unfinished.contains(group)) continue;
      const auto worse = [sign](const Cell* a, const Cell* b) {
        return sign * a->mean < sign * b->mean;
      };
      const Cell* top = *std::max_element(cells.begin(), cells.end(), worse);
      for (Cell* cell : cells) cell->best = number_text(cell->mean) == number_text(top->mean);
    }
  }
}

template <class Condition>
bool any_cell(const Table& table, Condition condition) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), condition);
  });
}

int64_t whole(const Json& object, std::string_view key) {
  const double value = number_of(object, key).value_or(0);
  return std::abs(value) < 9e15 ? static_cast<int64_t>(value) : 0;
}

}  // namespace

bool Table::has_paper() const {
  return any_cell(*this, [](const Cell& cell) { return cell.paper_mean.has_value(); });
}
bool Table::has_best() const {
  return any_cell(*this, [](const Cell& cell) { return cell.best; });
}
bool Table::leaves_out_seeds() const {
  return any_cell(*this, [](const Cell& cell) { return cell.seeds > 0 && cell.not_finite > 0; });
}

std::vector<Column> all_metrics(const Records& records) {
  std::set<std::string> names;
  for (const Record* evaluation : latest_of(records, records::kEvaluation)) {
    for (const auto& [name, value] : evaluation->metrics) names.insert(name);
  }
  const Descriptions descriptions = records::descriptions_of(records);
  std::vector<Column> out;
  for (const std::string& name : names) out.push_back(derived_column(descriptions, name));
  return out;
}

std::vector<Column> columns_in(const std::string& section, const Records& records) {
  std::set<std::string> recorded;
  for (const Column& column : all_metrics(records)) recorded.insert(column.metric);
  const Descriptions descriptions = records::descriptions_of(records);
  std::vector<Column> out;
  for (const Metric& metric : metrics_in(section, descriptions)) {
    if (!recorded.contains(metric.name)) continue;
    out.push_back(
        {metric.name, records::label_of(descriptions, metric.name), "", {}, metric.range});
  }
  return out;
}

std::string label_of(const Table& table, const std::string& metric) {
  if (!table.descriptions.contains(metric)) {
    for (const Column& column : table.columns) {
      if (column.metric != metric) continue;
      return column.group.empty() ? column.label : column.label + ", " + column.group;
    }
  }
  return records::label_of(table.descriptions, metric);
}

Table make_table(const Records& records) {
  return make_table(records, columns_of(records, study_of(records)));
}

Table make_table(const Records& given, const std::vector<Column>& columns) {
  const Records records = untrained_as_rows(given);
  const Json* study = study_of(records);
  Table table;
  table.descriptions = records::descriptions_of(records);
  table.columns = columns;
  if (study != nullptr) {
    table.title = text_of(*study, "title", text_of(*study, "name"));
    table.reference = text_of(*study, "reference");
    table.about = text_of(*study, "about");
    table.budget = text_of(*study, "budget");
    table.steps = whole(*study, "steps");
    table.paper_steps = whole(*study, "paper_steps");
    table.horizon = whole(*study, "horizon");
    table.note = text_of(*study, "note");
  }
  Planned planned;
  table.rows = rows_of(records, study, planned);
  std::map<std::string, std::vector<const Record*>> evaluations;
  for (const Record* record : latest_of(records, records::kEvaluation)) {
    evaluations[row_of(*record)].push_back(record);
  }
  for (Row& row : table.rows) {
    const auto& own = evaluations[row.name];
    row.seeds = static_cast<int64_t>(own.size());
    for (const Record* evaluation : own) {
      const int64_t step = evaluation->step.value_or(0);
      row.step = evaluation == own.front() ? step : std::min(row.step, step);
      row.unfinished = row.unfinished || !evaluation->final.value_or(true);
    }
    for (const Column& column : columns) {
      row.cells.push_back(make_cell(own, *planned[row.name], column.metric));
    }
  }
  mark_best(table);
  const std::vector<Claim> claims = claims_of(records);
  table.headline = headline(claims, table);
  for (const Claim& claim : claims) {
    table.findings.push_back({verdict(claim, table), finding(claim, table)});
  }
  return table;
}

std::string ours_text(const Row& row, const Cell& cell) {
  if (cell.seeds > 0) return spread_text(cell.mean, cell.std) + (cell.not_finite > 0 ? "†" : "");
  if (cell.not_finite > 0) return "n/a";
  return row.seeds > 0 ? "–" : "…";
}

std::string paper_text(const Cell& cell) {
  if (!cell.paper_mean) return "–";
  // The paper's numbers are decimals: 0.0195 is to be rounded up, but the nearest double is below.
  const auto decimal = [](double value) { return value + std::copysign(1e-12, value); };
  return spread_text(decimal(*cell.paper_mean), decimal(cell.paper_std.value_or(NAN)));
}

std::string budget_text(const Table& table) {
  if (table.steps <= 0) return "";
  const auto steps = static_cast<double>(table.steps);
  const auto paper = static_cast<double>(table.paper_steps);
  std::string out = table.budget.empty() ? "" : table.budget + " budget: ";
  out += count_text(steps) + " steps";
  if (table.paper_steps == table.steps) out += ", as in the paper";
  if (table.paper_steps > 0 && table.paper_steps != table.steps) {
    out += fmt::format(", {:.3g}% of the paper's {}", 100 * steps / paper, count_text(paper));
  }
  if (table.horizon > 0 && table.steps != table.paper_steps) {
    out += fmt::format("; schedules run over {} steps",
                       count_text(static_cast<double>(table.horizon)));
  }
  return table.note.empty() ? out : out + "; " + table.note;
}

std::string label_text(const Row& row) {
  if (!row.unfinished) return row.label;
  return fmt::format("{} (step {})", row.label, count_text(static_cast<double>(row.step)));
}

std::string progress_text(const Table& table, const Row& row) {
  if (row.seeds == 0) return "";
  const std::string seeds = plural(row.seeds, "seed");
  const bool unfinished = table.steps > 0 && row.step < table.steps;
  return unfinished ? fmt::format("{}, step {}", seeds, count_text(static_cast<double>(row.step)))
                    : seeds;
}

}  // namespace adassl::report
