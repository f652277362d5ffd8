#include "adassl/study/gather.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/records/describe.h"
#include "adassl/records/rule.h"
#include "adassl/records/run_records.h"
#include "adassl/storage/run_directory.h"

namespace adassl::study {
namespace {

using nlohmann::json;
using records::Record;
using records::Records;

Record study_record(const Study& study, const std::string& budget) {
  json columns = json::array();
  for (const auto& column : study.columns) {
    json out = {{"metric", column.metric}, {"label", column.label}, {"group", column.group}};
    if (column.best != "none") out["higher_is_better"] = column.best == "high";
    columns.push_back(out);
  }
  json scatters = json::array();
  for (const auto& scatter : study.scatters) {
    scatters.push_back({{"x", scatter.x}, {"y", scatter.y}, {"label", scatter.label}});
  }
  json claims = json::array();
  for (const auto& claim : study.claims) {
    claims.push_back({{"says", claim.says},
                      {"metric", claim.metric},
                      {"above", claim.above},
                      {"below", claim.below}});
  }
  json rows = json::array();
  for (const auto& row : study.rows) {
    rows.push_back(
        {{"name", row.name}, {"label", row.label}, {"group", row.group}, {"paper", row.paper}});
  }
  Record out{.kind = std::string(records::kStudy)};
  out.rest = {{"name", study.name},
              {"title", study.title},
              {"reference", study.reference},
              {"about", study.about},
              {"budget", budget},
              {"steps", study.budgets.at(budget).steps},
              {"horizon", horizon_of(study, budget)},
              {"note", study.budgets.at(budget).note},
              {"columns", columns},
              {"scatters", scatters},
              {"claims", claims},
              {"rows", rows}};
  if (study.paper_steps > 0) out.rest["paper_steps"] = study.paper_steps;
  return out;
}

/// "r2_pz" -> "unbounded.r2_pz"
template <class Value>
std::map<std::string, Value> prefixed(const std::map<std::string, Value>& values,
                                      const std::string& variant) {
  std::map<std::string, Value> out;
  for (const auto& [name, value] : values) out[join(variant, ".", name)] = value;
  return out;
}

/// Prefixes the names in a variant's record, so that they differ from those of the other variants.
/// A health record holds sentences instead of names, so it says itself of which variant it is.
void name_variant(Record& record, const std::string& variant) {
  if (variant.empty()) return;
  if (record.kind == records::kHealth) record.rest["variant"] = variant;
  record.metrics = prefixed(record.metrics, variant);
  record.vectors = prefixed(record.vectors, variant);
  if (!record.rest.contains("points")) return;
  json points = json::object();
  for (const auto& [name, values] : record.rest["points"].items()) {
    points[name == "step" ? name : join(variant, ".", name)] = values;
  }
  record.rest["points"] = std::move(points);
}

/// Merges the record into the one that another variant of its row and seed has left, if there is
/// one: the variants of a row share a line of the table. Milestones are merged step by step. If the
/// variants have reached different steps, the record keeps the smaller one.
bool merged_into(Records& records, const Record& record) {
  if (record.kind != records::kEvaluation && record.kind != records::kMilestone &&
      record.kind != records::kUntrained) {
    return false;
  }
  for (Record& other : records) {
    if (other.kind != record.kind || other.row != record.row || other.seed != record.seed) continue;
    if (record.kind == records::kMilestone && other.step != record.step) continue;
    for (const auto& [name, value] : record.metrics) other.metrics[name] = value;
    for (const auto& [name, values] : record.vectors) other.vectors[name] = values;
    other.step = std::min(other.step, record.step);
    return true;
  }
  return false;
}

/// Whether the row already has a picture. Only that of its first trial is kept: those of all trials
/// would make up most of the file.
bool is_another_picture(const Records& records, const Record& record) {
  if (record.kind != records::kDensity && record.kind != records::kImportance &&
      record.kind != records::kControl) {
    return false;
  }
  return std::ranges::any_of(records, [&](const Record& other) {
    return other.kind == record.kind && other.row == record.row;
  });
}

/// The descriptions of those metrics, vectors and curves that these records hold.
Descriptions needed_by(const Records& records, const Descriptions& descriptions) {
  Descriptions out;
  const auto need = [&](const std::string& name) {
    const Metric* metric = records::find_metric(descriptions, name);
    if (metric != nullptr) out[metric->name] = *metric;
  };
  for (const Record& record : records) {
    for (const auto& [name, value] : record.metrics) need(name);
    for (const auto& [name, values] : record.vectors) need(name);
    if (!record.rest.contains("points")) continue;
    for (const auto& item : record.rest["points"].items()) need(item.key());
  }
  return out;
}

}  // namespace

Records gather(const Study& study, const std::string& budget, const std::vector<StudyRun>& runs) {
  Records out{study_record(study, budget)};
  for (const StudyRun& run : runs) {
    if (!std::filesystem::exists(run.directory / "config.toml")) continue;
    const auto directory =
        storage::RunDirectory::open(run.directory, storage::RunDirectory::Lock::kNo);
    for (Record& record :
         records::counting(records::run_records(directory), records::hash_of(directory))) {
      if (record.kind == records::kNeighbours) continue;  // shown on the page of the run
      record.row = run.row;
      record.seed = run.seed;
      name_variant(record, run.variant);
      out.front().descriptions.merge(std::exchange(record.descriptions, {}));
      if (is_another_picture(out, record) || merged_into(out, record)) continue;
      out.push_back(std::move(record));
    }
  }
  return out;
}

Records evaluated(Records records) {
  using Trial = std::pair<std::string, std::optional<int64_t>>;
  const auto trial = [](const Record& record) { return Trial(record.row, record.seed); };
  std::set<Trial> known;
  for (const Record& record : records) {
    if (record.kind == records::kEvaluation) known.insert(trial(record));
  }
  std::erase_if(records, [&](const Record& record) {
    return record.kind != records::kStudy && !known.contains(trial(record));
  });
  for (Record& record : records) record.descriptions = needed_by(records, record.descriptions);
  return records;
}

}  // namespace adassl::study
