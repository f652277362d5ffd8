#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adassl/report/records.h"

namespace adassl::report {

struct Column {
  std::string metric;
  std::string label;
  std::string group;                     // upper level of the header, may be empty
  std::optional<bool> higher_is_better;  // nullopt: no value is marked as the best
  MetricRange range = {};                // the values worth showing
};

/// One number of ours beside the paper's.
struct Cell {
  double mean;  // NaN without a finite value
  double std;   // sample standard deviation, NaN for fewer than two seeds
  int64_t seeds = 0;
  int64_t not_finite = 0;  // seeds left out because their value is not finite
  std::optional<double> paper_mean;
  std::optional<double> paper_std;
  std::optional<double> deviations;  // (ours - paper) in the paper's standard deviations
  bool best = false;  // of its column among the rows of its group, if all of these are finished
};

struct Row {
  std::string name;
  std::string label;
  std::string group;
  int64_t colour = 0;       // rows with the same label share it
  int64_t seeds = 0;        // 0: nothing recorded yet
  int64_t step = 0;         // the smallest of its seeds' last steps
  bool unfinished = false;  // a milestone stands in for the evaluation of some run's last step
  std::vector<Cell> cells;
};

/// The verdict on a claim of the paper.
struct Finding {
  std::string verdict;  // "yes", "no", "mixed over seeds", "not yet", "open"
  std::string text;     // one or two sentences with the numbers
};

struct Table {
  std::string title;
  std::string reference;  // "Table 2"
  std::string about;
  std::string budget;
  int64_t steps = 0;          // as planned; 0 where no study says so
  int64_t paper_steps = 0;    // 0 where unknown
  int64_t horizon = 0;        // steps over which schedules run; 0 where unknown
  std::string note;           // what else differs from the paper's protocol
  Descriptions descriptions;  // of the metrics in the records
  std::vector<Column> columns;
  std::vector<Row> rows;          // rows of a group stand together
  std::string headline;           // one sentence on all of the study's claims; empty without any
  std::vector<Finding> findings;  // of the study's claims

  bool has_paper() const;         // any number of the paper
  bool has_best() const;          // any value is marked as the best
  bool leaves_out_seeds() const;  // any mean is marked with †
};

/// Each trial (row, seed) counts with its evaluation of the largest step. Without a study record
/// the rows are those of the evaluations, and the columns are the metrics of the "results" section
/// or, if there are none, all metrics.
Table make_table(const Records& records);
/// The same rows with other columns.
Table make_table(const Records& records, const std::vector<Column>& columns);

/// All metrics that any evaluation holds, as columns in alphabetical order.
std::vector<Column> all_metrics(const Records& records);
/// The metrics that name this section, in their order; no value is marked as the best.
std::vector<Column> columns_in(const std::string& section, const Records& records);

/// The name of a metric in charts and sentences: the label of its description; for a metric of a
/// variant, or without a description, the label of the study's column.
std::string label_of(const Table& table, const std::string& metric);

/// "0.781 ±0.020"; "n/a" if no seed is finite, "–" if the metric does not apply and "…" if the row
/// has no records yet. "†" marks a mean that leaves out seeds that are not finite.
std::string ours_text(const Row& row, const Cell& cell);
/// "0.521 ±0.161", or "–".
std::string paper_text(const Cell& cell);
/// "quick budget: 3,000 steps, 1.5% of the paper's 200,000; schedules run over 3,000 steps", or
/// nothing.
std::string budget_text(const Table& table);
/// The row's label, with the step where it is unfinished: "InfoNCE (step 50,000)".
std::string label_text(const Row& row);
/// "3 seeds", "2 seeds, step 500" while unfinished, "" without records.
std::string progress_text(const Table& table, const Row& row);

/// For the terminal; `colour` adds ANSI bold and dim.
std::string to_terminal(const Table& table, bool colour);
/// For docs/RESULTS.md.
std::string to_markdown(const Table& table);
/// For other programs.
nlohmann::json to_json(const Table& table);

}  // namespace adassl::report
