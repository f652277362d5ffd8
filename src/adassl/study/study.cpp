#include "adassl/study/study.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/run.h"

namespace adassl::study {

using nlohmann::json;

void Study::visit(Fields& field) {
  field("name", name, "short name, also the folder of its runs");
  field("title", title, "what the page is headed with");
  field("reference", reference, "the paper's table or figure");
  field("about", about, "one or two sentences");
  field("runs", runs, "studies with the same word share their runs");
  field("set", set, "key=value overrides of all rows");
  field("first_seed", first_seed, "of the first trial; the others follow", {0, 9e15});
}

void Study::Budget::visit(Fields& field) {
  field("steps", steps, "training steps of each run", {0, 1e12});
  field("seeds", seeds, "trials of each row", {1, 1000});
  field("set", set, "key=value overrides of all rows at this budget");
}

void Study::Column::visit(Fields& field) {
  field("metric", metric, "name in the evaluation records");
  field("label", label, "heading");
  field("group", group, "heading above");
  field("best", best, "which end is best, if any", {"high", "low", "none"});
}

void Study::Row::visit(Fields& field) {
  field("name", name, "short name, also the folder of its runs");
  field("label", label, "heading");
  field("group", group, "heading above");
  field("config", config, "configuration, relative to the study");
  field("set", set, "key=value overrides");
}

void Study::Scatter::visit(Fields& field) {
  field("x", x, "metric of a column, to the right");
  field("y", y, "metric of a column, upwards");
  field("label", label, "heading");
}

void Study::Variant::visit(Fields& field) {
  field("name", name, "prefix of the metrics");
  field("set", set, "key=value overrides");
}

namespace {

std::string numbered(const char* section, int64_t i) { return fmt::format("{}.{}", section, i); }

/// The paper's numbers: [mean, deviation], or [mean] of a single run, below rows.N.paper, at any
/// depth.
std::map<std::string, std::vector<double>> read_paper(Config& config, const std::string& section,
                                                      const std::string& prefix) {
  std::map<std::string, std::vector<double>> out;
  for (const std::string& name : config.names_below(section)) {
    const std::string key = join(section, ".", name);
    if (!config.has(key)) {
      out.merge(read_paper(config, key, prefix + name + "."));
      continue;
    }
    std::vector<double> value;
    Reader reader(config, section);
    reader(name, value, "mean and standard deviation", {-1e9, 1e9});
    ADASSL_CHECK(value.size() == 1 || value.size() == 2, "[", config.where(), "] ", key,
                 ": expected [mean, standard deviation] or [mean], got ", value.size(), " numbers");
    out[prefix + name] = value;
  }
  return out;
}

void require_names(const Study& study, const std::string& where) {
  ADASSL_CHECK(!study.name.empty(), "[", where, "] expected a name");
  ADASSL_CHECK(!study.budgets.empty() && !study.rows.empty() && !study.columns.empty(), "[", where,
               "] expected at least one budget, one row and one column");
  std::set<std::string> seen;
  for (const auto& row : study.rows) {
    ADASSL_CHECK(!row.name.empty() && !row.config.empty(), "[", where,
                 "] expected a name and a config for every row");
    ADASSL_CHECK(seen.insert(row.name).second, "[", where,
                 "] expected different names, got two rows '", row.name, "'");
  }
}

/// What has no heading is called by its name.
void fill_in_labels(Study& study) {
  const auto fill = [](std::string& label, const std::string& name) {
    if (label.empty()) label = name;
  };
  fill(study.title, study.name);
  for (auto& row : study.rows) fill(row.label, row.name);
  for (auto& column : study.columns) fill(column.label, column.metric);
}

void require_columns_of_scatters(const Study& study, const std::string& where) {
  std::vector<std::string> known;
  for (const auto& column : study.columns) known.push_back(column.metric);
  for (size_t i = 0; i < study.scatters.size(); ++i) {
    const auto& scatter = study.scatters[i];
    for (const auto& [axis, metric] : {std::pair("x", scatter.x), std::pair("y", scatter.y)}) {
      ADASSL_CHECK(std::find(known.begin(), known.end(), metric) != known.end(), "[", where,
                   "] scatters.", i, ".", axis, ": expected a metric of the columns ",
                   text::list(known), ", got '", metric, "'", text::did_you_mean(metric, known));
    }
    ADASSL_CHECK(scatter.x != scatter.y, "[", where, "] scatters.", i,
                 ": expected two different metrics, got '", scatter.x, "' twice");
  }
}

}  // namespace

Study read_study(const std::filesystem::path& path) {
  Config config = Config::from_file(path);
  ADASSL_CHECK(config.count("rows") > 0 || !config.has("method"), "[", path.string(),
               "] is the configuration of one run, not a study: 'adassl train' runs it");
  auto study = config.read<Study>("");
  study.folder = path.parent_path();
  if (study.runs.empty()) study.runs = study.name;
  for (const std::string& budget : config.names_below("budgets")) {
    study.budgets[budget] = config.read<Study::Budget>("budgets." + budget);
  }
  for (int64_t i = 0; i < config.count("columns"); ++i) {
    study.columns.push_back(config.read<Study::Column>(numbered("columns", i)));
  }
  for (int64_t i = 0; i < config.count("scatters"); ++i) {
    study.scatters.push_back(config.read<Study::Scatter>(numbered("scatters", i)));
  }
  for (int64_t i = 0; i < config.count("variants"); ++i) {
    study.variants.push_back(config.read<Study::Variant>(numbered("variants", i)));
  }
  for (int64_t i = 0; i < config.count("rows"); ++i) {
    study.rows.push_back(config.read<Study::Row>(numbered("rows", i)));
    study.rows.back().paper = read_paper(config, numbered("rows", i) + ".paper", "");
  }
  config.require_all_read();
  require_names(study, path.string());
  fill_in_labels(study);
  require_columns_of_scatters(study, path.string());
  return study;
}

std::vector<StudyRun> plan(const Study& study, const std::string& budget, int64_t seed_count,
                           const std::filesystem::path& root) {
  const auto found = study.budgets.find(budget);
  if (found == study.budgets.end()) {
    std::vector<std::string> known;
    for (const auto& [name, cost] : study.budgets) known.push_back(name);
    throw Error(join("[", study.name, "] expected the budget ", text::list(known), ", got '",
                     budget, "'", text::did_you_mean(budget, known)));
  }
  const int64_t trials = seed_count > 0 ? seed_count : found->second.seeds;
  const auto variants = study.variants.empty() ? std::vector<Study::Variant>{{}} : study.variants;
  std::vector<StudyRun> out;
  for (int64_t seed = study.first_seed; seed < study.first_seed + trials; ++seed) {
    for (const auto& row : study.rows) {
      for (const auto& variant : variants) {
        std::vector<std::string> overrides;
        for (const auto& set : {study.set, found->second.set, row.set, variant.set}) {
          overrides.insert(overrides.end(), set.begin(), set.end());
        }
        overrides.push_back(fmt::format("seed={}", seed));
        overrides.push_back(fmt::format("train.steps={}", found->second.steps));
        const std::string folder = variant.name.empty() ? row.name : row.name + "-" + variant.name;
        out.push_back({row.name, variant.name.empty() ? row.label : row.label + ", " + variant.name,
                       variant.name, seed, study.folder / row.config, overrides,
                       root / study.runs / budget / folder / fmt::format("seed-{}", seed)});
      }
    }
  }
  return out;
}

std::vector<StudyRun> only_rows(const Study& study, const std::vector<StudyRun>& runs,
                                const std::vector<std::string>& rows) {
  std::vector<std::string> known;
  for (const auto& row : study.rows) known.push_back(row.name);
  for (const std::string& row : rows) {
    ADASSL_CHECK(std::find(known.begin(), known.end(), row) != known.end(), "[", study.name,
                 "] expected rows among ", text::list(known), ", got '", row, "'",
                 text::did_you_mean(row, known));
  }
  std::vector<StudyRun> out;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(out), [&](const StudyRun& run) {
    return rows.empty() || std::find(rows.begin(), rows.end(), run.row) != rows.end();
  });
  return out;
}

Config requested_config(const StudyRun& run) {
  Config config = Config::from_file(run.config);
  for (const std::string& assignment : run.overrides) config.override_with(assignment);
  return config;
}

namespace {

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
              {"columns", columns},
              {"scatters", scatters},
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
/// not change a table. Curves count at any time.
std::vector<json> latest_of_each_kind(const std::vector<json>& records,
                                      const std::string& own_hash) {
  const auto kind = [](const json& record) { return record.value("kind", ""); };
  json last_step = nullptr;
  for (const json& record : records) {
    if (is_result(record, own_hash)) last_step = record.value("step", json(nullptr));
  }
  std::vector<json> out;
  for (const json& record : records) {
    if (record.value("config_hash", own_hash) != own_hash) continue;
    if (record.contains("step") && record["step"] != last_step) continue;
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const json& r) { return kind(r) == kind(record); });
    if (same == out.end()) {
      out.push_back(record);
    } else {
      *same = record;
    }
  }
  return out;
}

/// The variants of a row are one line of the table: their metrics stand in one record.
bool merged_into(std::vector<json>& records, const json& record) {
  if (record.value("kind", "") != "evaluation") return false;
  for (json& other : records) {
    if (other.value("kind", "") != "evaluation" || other["row"] != record["row"] ||
        other["seed"] != record["seed"]) {
      continue;
    }
    for (const char* part : {"metrics", "vectors"}) {
      if (record.contains(part)) other[part].update(record[part]);
    }
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
    for (json record : latest_of_each_kind(run_records(directory), hash_of(directory))) {
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
