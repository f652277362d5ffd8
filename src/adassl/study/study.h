#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/core/config.h"

namespace adassl::study {

/// A table or figure of the paper, declared: what is run, for how long, and what the paper reports.
/// Rows, budgets and the paper's numbers are data (studies/*.toml), not code.
struct Study {
  /// Whether warm-ups keep their steps, or run over the same share of the horizon as they do at the
  /// budget "full".
  static constexpr std::string_view kKeptWarmups = "kept";
  static constexpr std::string_view kScaledWarmups = "scaled";

  struct Column {
    std::string metric;
    std::string label;
    std::string group;
    std::string best = "high";
    void visit(Fields& field);
  };
  struct Row {
    std::string name;
    std::string label;
    std::string group;
    std::string config;                                // a file, relative to the study's
    std::vector<std::string> set;                      // key=value overrides
    std::map<std::string, std::vector<double>> paper;  // metric -> mean[, standard deviation]
    void visit(Fields& field);
  };
  /// Each row is run once for each variant; metrics are then called "<variant>.<metric>".
  struct Variant {
    std::string name;
    std::vector<std::string> set;
    void visit(Fields& field);
  };

  /// A picture of one column against another, with a point for each row.
  struct Scatter {
    std::string x, y;  // metrics of columns
    std::string label;
    void visit(Fields& field);
  };

  /// What the paper says about the order of rows: each of `above` has a larger number than each of
  /// `below`.
  struct Claim {
    std::string says;
    std::string metric;
    std::vector<std::string> above, below;
    void visit(Fields& field);
  };

  /// The numbers of steps and seeds. "full" is the longest: the paper's own protocol, or as much of
  /// it as is meant to be run on a CPU.
  struct Budget {
    int64_t steps = 0;
    int64_t horizon = 0;  // of schedules; 0: that of the budget "full", so that these steps are the
                          // first ones of a full run
    std::string warmups = std::string(kKeptWarmups);  // how those of the configurations are used
    int64_t seeds = 3;
    std::string note = {};              // what else differs from the paper's protocol
    std::vector<std::string> set = {};  // key=value overrides of all rows
    void visit(Fields& field);
  };

  std::string name;
  std::string title;
  std::string reference;  // "Table 2"
  std::string about;
  std::string runs;              // studies with the same word here share their runs
  std::vector<std::string> set;  // key=value overrides of all rows
  int64_t paper_steps = 0;       // of each run in the paper; 0 where unknown
  int64_t first_seed = 1;
  std::map<std::string, Budget> budgets;
  std::vector<Column> columns;
  std::vector<Scatter> scatters;
  std::vector<Claim> claims;
  std::vector<Row> rows;
  std::vector<Variant> variants;
  std::filesystem::path folder;  // relative paths start here

  void visit(Fields& field);
};

/// The number of steps over which a budget's schedules run.
int64_t horizon_of(const Study& study, const std::string& budget);

Study read_study(const std::filesystem::path& path);

/// One run of a study.
struct StudyRun {
  std::string row;
  std::string label;
  std::string variant;  // "" without variants
  int64_t seed = 0;
  std::filesystem::path config;
  std::vector<std::string> overrides;
  std::filesystem::path directory;
};

/// The seeds of a study's trials, from the first to the last.
struct Seeds {
  int64_t first = 0;
  int64_t last = 0;
};

/// Parses the requested seeds: "3" means the first three, "2-5" seeds 2 to 5, "" as many as the
/// budget says.
Seeds seeds_of(const Study& study, const std::string& budget, const std::string& asked);

/// All runs of a study at a budget, seed by seed, so that every row has a result as early as
/// possible.
std::vector<StudyRun> plan(const Study& study, const std::string& budget, const Seeds& seeds,
                           const std::filesystem::path& root);

/// The runs of these rows; all runs if no row is named. Error when a name is unknown.
std::vector<StudyRun> only_rows(const Study& study, const std::vector<StudyRun>& runs,
                                const std::vector<std::string>& rows);

/// The configuration that a run asks for.
Config requested_config(const StudyRun& run);

}  // namespace adassl::study
