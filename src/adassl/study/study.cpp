#include "adassl/study/study.h"

#include <algorithm>
#include <charconv>
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
  field("first_seed", first_seed, "seed of the first trial; the others follow", {0, 9e15});
}

void Study::Budget::visit(Fields& field) {
  field("steps", steps, "training steps of each run", {0, 1e12});
  field("horizon", horizon, "steps over which schedules run; 0: those of the budget 'full'",
        {0, 1e12});
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
  for (const auto& budget : study.budgets) {
    require_folder_name(budget.first, "[" + where + "] a budget's name");
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

namespace {

constexpr int64_t kMostTrials = 1000;
constexpr int64_t kLargestSeed = int64_t{1} << 53;

const Study::Budget& budget_of(const Study& study, const std::string& budget) {
  const auto found = study.budgets.find(budget);
  if (found != study.budgets.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, cost] : study.budgets) known.push_back(name);
  throw Error(join("[", study.name, "] expected the budget ", text::list(known), ", got '", budget,
                   "'", text::did_you_mean(budget, known)));
}

/// Parses an integer that is not larger than a seed may be; a negative result means that the text
/// is none.
int64_t whole_number(std::string_view digits) {
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc() && stop == end && value <= kLargestSeed ? value : -1;
}

}  // namespace

Seeds seeds_of(const Study& study, const std::string& budget, const std::string& asked) {
  const int64_t start = study.first_seed;
  if (asked.empty()) return {start, start + budget_of(study, budget).seeds - 1};
  const size_t dash = asked.find('-');
  const bool range = dash != std::string::npos;
  const Seeds seeds = range ? Seeds{whole_number(std::string_view(asked).substr(0, dash)),
                                    whole_number(std::string_view(asked).substr(dash + 1))}
                            : Seeds{start, start + whole_number(asked) - 1};
  const int64_t end = start + kMostTrials - 1;
  ADASSL_CHECK(start <= seeds.first && seeds.first <= seeds.last && seeds.last <= end,
               "[--seeds] expected how many trials (1 to ", kMostTrials,
               ") or a range of seeds within ", start, "-", end, ", got '", asked, "'");
  return seeds;
}

int64_t horizon_of(const Study& study, const std::string& budget) {
  const Study::Budget& cost = budget_of(study, budget);
  if (cost.horizon > 0) return cost.horizon;
  const auto full = study.budgets.find("full");
  return full == study.budgets.end() ? cost.steps : std::max(cost.steps, full->second.steps);
}

std::vector<StudyRun> plan(const Study& study, const std::string& budget, const Seeds& seeds,
                           const std::filesystem::path& root) {
  const Study::Budget& cost = budget_of(study, budget);
  const int64_t horizon = horizon_of(study, budget);
  const auto variants = study.variants.empty() ? std::vector<Study::Variant>{{}} : study.variants;
  std::vector<StudyRun> out;
  for (int64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    for (const auto& row : study.rows) {
      for (const auto& variant : variants) {
        std::vector<std::string> overrides;
        const auto add = [&](const std::vector<std::string>& set) {
          overrides.insert(overrides.end(), set.begin(), set.end());
        };
        add(study.set);
        add(cost.set);
        overrides.push_back(fmt::format("train.steps={}", cost.steps));
        if (horizon != cost.steps) overrides.push_back(fmt::format("train.horizon={}", horizon));
        add(row.set);  // may say otherwise, such as train.steps=0 for an untrained encoder
        add(variant.set);
        overrides.push_back(fmt::format("seed={}", seed));
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
  const std::vector<std::string> known = names_of_rows(study);
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

}  // namespace adassl::study
