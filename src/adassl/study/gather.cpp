#include "adassl/study/gather.h"

#include <algorithm>
#include <set>

#include "adassl/core/error.h"
#include "adassl/storage/run_directory.h"
#include "adassl/storage/run_records.h"
#include "adassl/study/run.h"

namespace adassl::study {
namespace {

using nlohmann::json;

json study_record(const Study& study, const std::string& budget) {
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
  json out = {{"kind", "study"},
              {"name", study.name},
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
  if (const auto full = study.budgets.find("full"); full != study.budgets.end()) {
    out["paper_steps"] = full->second.steps;
  }
  return out;
}

/// "r2_pz" -> "unbounded.r2_pz" where the run is that variant.
json prefixed(const json& values, const std::string& variant) {
  if (variant.empty()) return values;
  json out = json::object();
  for (const auto& [name, value] : values.items()) {
    out[name == "step" ? name : join(variant, ".", name)] = value;
  }
  return out;
}

/// Of the evaluations and pictures of a run, the last of each kind counts, made at its last step
/// and as its own configuration says: `adassl evaluate` with other options, or before the end, must
/// not change a table. Curves count at any time, and so do the milestones that the run itself asked
/// for; the last of them stands in for the evaluation of a run that has not ended.
std::vector<json> latest_of_each_kind(const std::vector<json>& records,
                                      const std::string& own_hash) {
  const auto kind = [](const json& record) { return record.value("kind", ""); };
  json last_step = nullptr;
  for (const json& record : records) {
    if (storage::is_result(record, own_hash)) last_step = record.value("step", json(nullptr));
  }
  std::vector<json> out;
  for (const json& record : records) {
    if (record.value("config_hash", own_hash) != own_hash) continue;
    if (kind(record) == "milestone") {
      out.push_back(record);
      continue;
    }
    if (record.contains("step") && record["step"] != last_step) continue;
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const json& r) { return kind(r) == kind(record); });
    if (same == out.end()) {
      out.push_back(record);
    } else {
      *same = record;
    }
  }
  const auto is_milestone = [&](const json& r) { return kind(r) == "milestone"; };
  const auto newest = std::find_if(out.rbegin(), out.rend(), is_milestone);
  if (last_step.is_null() && newest != out.rend()) {
    json stand_in = *newest;
    stand_in["kind"] = "evaluation";
    out.push_back(std::move(stand_in));
  }
  return out;
}

/// The variants of a row are one line of the table: their metrics stand in one record, those of
/// milestones in one for each step. Where one variant is further than the other, the record is as
/// far as the slower one.
bool merged_into(std::vector<json>& records, const json& record) {
  const std::string kind = record.value("kind", "");
  if (kind != "evaluation" && kind != "milestone") return false;
  const int64_t step = record.value("step", int64_t{0});
  for (json& other : records) {
    if (other.value("kind", "") != kind || other["row"] != record["row"] ||
        other["seed"] != record["seed"]) {
      continue;
    }
    const int64_t its_step = other.value("step", int64_t{0});
    if (kind == "milestone" && its_step != step) continue;
    for (const char* part : {"metrics", "vectors"}) {
      if (record.contains(part)) other[part].update(record[part]);
    }
    if (step < its_step) other["step"] = step;
    return true;
  }
  return false;
}

/// Of the pictures of a row's trials one is shown, the first: the others would be most of the file.
bool is_another_picture(const std::vector<json>& records, const json& record) {
  if (record.value("kind", "") != "density") return false;
  return std::any_of(records.begin(), records.end(), [&](const json& other) {
    return other.value("kind", "") == "density" && other["row"] == record["row"];
  });
}

}  // namespace

std::vector<json> gather(const Study& study, const std::string& budget,
                         const std::vector<StudyRun>& runs) {
  std::vector<json> out{study_record(study, budget)};
  for (const StudyRun& run : runs) {
    if (!std::filesystem::exists(run.directory / "config.toml")) continue;
    const auto directory =
        storage::RunDirectory::open(run.directory, storage::RunDirectory::Lock::kNo);
    for (json record : latest_of_each_kind(storage::run_records(directory), hash_of(directory))) {
      record["row"] = run.row;
      record["seed"] = run.seed;
      for (const char* part : {"metrics", "vectors", "points"}) {
        if (record.contains(part)) record[part] = prefixed(record[part], run.variant);
      }
      if (is_another_picture(out, record) || merged_into(out, record)) continue;
      out.push_back(std::move(record));
    }
  }
  return out;
}

std::vector<json> evaluated(std::vector<json> records) {
  using Trial = std::pair<std::string, int64_t>;
  const auto trial = [](const json& record) {
    return Trial(record.value("row", ""), record.value("seed", int64_t{0}));
  };
  std::set<Trial> known;
  for (const json& record : records) {
    if (record.value("kind", "") == "evaluation") known.insert(trial(record));
  }
  std::erase_if(records, [&](const json& record) {
    return record.value("kind", "") != "study" && !known.contains(trial(record));
  });
  return records;
}

}  // namespace adassl::study
