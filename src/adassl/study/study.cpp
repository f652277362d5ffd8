#include "adassl/study/study.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"

namespace adassl::study {

void Study::visit(Fields& field) {
  field("name", name, "short name, also the folder of its runs");
  field("title", title, "heading of the page");
  field("reference", reference, "table or figure of the paper");
  field("about", about, "description in one or two sentences");
  field("runs", runs, "folder of the runs; studies with the same folder share their runs");
  field("set", set, "key=value overrides of all rows");
  field("paper_steps", paper_steps, "training steps of each run in the paper; 0: unknown",
        {0, 1e12});
  field("first_seed", first_seed, "seed of the first trial; the others follow", {0, 9e15});
}

void Study::Budget::visit(Fields& field) {
  field("steps", steps, "training steps of each run", {0, 1e12});
  field("horizon", horizon, "steps over which schedules run; 0: those of the budget 'full'",
        {0, 1e12});
  field("warmups", warmups,
        "kept: warm-ups have the steps of the configurations; scaled: they are shortened as the "
        "horizon is, compared with that of the budget 'full'",
        {std::string(kKeptWarmups), std::string(kScaledWarmups)});
  field("note", note, "what else differs from the paper's protocol, for captions");
  field("seeds", seeds, "trials of each row", {1, 1000});
  field("set", set, "key=value overrides of all rows at this budget");
}

void Study::Column::visit(Fields& field) {
  field("metric", metric, "name in the evaluation records");
  field("label", label, "heading");
  field("group", group, "heading of its group");
  field("best", best, "whether high or low numbers are better, if either", {"high", "low", "none"});
}

void Study::Row::visit(Fields& field) {
  field("name", name, "short name, also the folder of its runs");
  field("label", label, "heading");
  field("group", group, "heading of its group");
  field("config", config, "configuration, relative to the study");
  field("set", set, "key=value overrides");
}

void Study::Scatter::visit(Fields& field) {
  field("x", x, "metric of a column, on the horizontal axis");
  field("y", y, "metric of a column, on the vertical axis");
  field("label", label, "heading");
}

void Study::Claim::visit(Fields& field) {
  field("says", says, "the claim, as a continuation of 'The paper finds that'");
  field("metric", metric, "metric of a column");
  field("above", above, "rows with the larger numbers");
  field("below", below, "rows with the smaller numbers");
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

/// Names of studies, rows and variants become names of folders, which must stay inside of --out.
void require_folder_name(const std::string& name, const std::string& where) {
  const bool ok = !name.empty() && name != "." && name != ".." &&
                  name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  ADASSL_CHECK(ok, where, ": expected a name that can be a folder's, without slashes, got '", name,
               "'");
}

void require_names(const Study& study, const std::string& where) {
  ADASSL_CHECK(!study.name.empty(), "[", where, "] expected a name");
  require_folder_name(study.name, "[" + where + "] name");
  require_folder_name(study.runs, "[" + where + "] runs");
  for (const auto& variant : study.variants) {
    require_folder_name(variant.name, "[" + where + "] a variant's name");
  }
  const bool has_full = study.budgets.contains("full") && horizon_of(study, "full") > 0;
  for (const auto& [budget, cost] : study.budgets) {
    require_folder_name(budget, "[" + where + "] a budget's name");
    ADASSL_CHECK(cost.warmups != Study::kScaledWarmups || has_full, "[", where, "] budgets.",
                 budget, ".warmups: expected a budget 'full' with steps, from which warm-ups are ",
                 "scaled, got none");
  }
  ADASSL_CHECK(!study.budgets.empty() && !study.rows.empty() && !study.columns.empty(), "[", where,
               "] expected at least one budget, one row and one column");
  std::set<std::string> seen;
  for (const auto& row : study.rows) {
    ADASSL_CHECK(!row.name.empty() && !row.config.empty(), "[", where,
                 "] expected a name and a config for every row");
    require_folder_name(row.name, "[" + where + "] a row's name");
    ADASSL_CHECK(seen.insert(row.name).second, "[", where,
                 "] expected different names, got two rows '", row.name, "'");
  }
}

/// Fills in the name where a label or title is empty.
void fill_in_labels(Study& study) {
  const auto fill = [](std::string& label, const std::string& name) {
    if (label.empty()) label = name;
  };
  fill(study.title, study.name);
  for (auto& row : study.rows) fill(row.label, row.name);
  for (auto& column : study.columns) fill(column.label, column.metric);
}

std::vector<std::string> metrics_of(const Study& study) {
  std::vector<std::string> out;
  for (const auto& column : study.columns) out.push_back(column.metric);
  return out;
}

std::vector<std::string> names_of_rows(const Study& study) {
  std::vector<std::string> out;
  for (const auto& row : study.rows) out.push_back(row.name);
  return out;
}

void require_one_of(const std::vector<std::string>& known, const std::string& word,
                    const std::string& where, const char* what) {
  ADASSL_CHECK(std::find(known.begin(), known.end(), word) != known.end(), where, ": expected ",
               what, " ", text::list(known), ", got '", word, "'", text::did_you_mean(word, known));
}

void require_rows_of_claims(const Study& study, const std::string& where) {
  const std::vector<std::string> rows = names_of_rows(study);
  for (size_t i = 0; i < study.claims.size(); ++i) {
    const auto& claim = study.claims[i];
    const std::string place = join("[", where, "] claims.", i);
    require_one_of(metrics_of(study), claim.metric, place + ".metric", "a metric of the columns");
    for (const auto& [side, names] :
         {std::pair(".above", claim.above), std::pair(".below", claim.below)}) {
      ADASSL_CHECK(!names.empty(), place, side, ": expected names of rows, got none");
      for (const auto& name : names) require_one_of(rows, name, place + side, "one of the rows");
    }
  }
}

void require_columns_of_scatters(const Study& study, const std::string& where) {
  const std::vector<std::string> known = metrics_of(study);
  for (size_t i = 0; i < study.scatters.size(); ++i) {
    const auto& scatter = study.scatters[i];
    for (const auto& [axis, metric] : {std::pair("x", scatter.x), std::pair("y", scatter.y)}) {
      require_one_of(known, metric, join("[", where, "] scatters.", i, ".", axis),
                     "a metric of the columns");
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
  for (int64_t i = 0; i < config.count("claims"); ++i) {
    study.claims.push_back(config.read<Study::Claim>(numbered("claims", i)));
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
  require_rows_of_claims(study, path.string());
  return study;
}

}  // namespace adassl::study
