#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "adassl/report/markdown.h"
#include "adassl/report/numbers.h"
#include "adassl/report/table.h"

namespace adassl::report {
namespace {

constexpr int64_t kGap = 2;
constexpr int64_t kWidest = 120;  // a single row that is wider is a list instead

std::string without_trailing_spaces(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

bool has_groups(const Table& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const Column& column) { return !column.group.empty(); });
}

/// The two lines of a cell, each "value, note" so that the notes align below each other.
struct Lines {
  std::string ours, paper;
};

Lines lines_of(const Row& row, const Cell& cell, int64_t value_width) {
  Lines out;
  out.ours = ours_text(row, cell);
  if (cell.deviations) {
    out.ours = padded(out.ours, value_width) + " " + deviations_text(*cell.deviations);
  }
  out.paper = cell.paper_mean ? padded(paper_text(cell), value_width) + " paper" : "–";
  return out;
}

struct Layout {
  int64_t label = 0;
  std::vector<int64_t> value;   // of "0.781 ±0.020"
  std::vector<int64_t> column;  // of the whole cell
  int64_t total = 0;
};

Layout layout_of(const Table& table) {
  Layout out;
  for (const Row& row : table.rows) {
    out.label = std::max({out.label, display_width(one_line(row.label)),
                          display_width("  " + progress_text(table, row))});
  }
  out.total = out.label;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    int64_t value = 0;
    for (const Row& row : table.rows) {
      const Cell& cell = row.cells[c];
      value =
          std::max({value, display_width(ours_text(row, cell)), display_width(paper_text(cell))});
    }
    int64_t width = std::max(display_width(one_line(table.columns[c].label)),
                             display_width(one_line(table.columns[c].group)));
    for (const Row& row : table.rows) {
      const Lines lines = lines_of(row, row.cells[c], value);
      width = std::max({width, display_width(lines.ours), display_width(lines.paper)});
    }
    out.value.push_back(value);
    out.column.push_back(width);
    out.total += kGap + width;
  }
  return out;
}

class Terminal {
 public:
  Terminal(const Table& table, bool colour)
      : table_(table), layout_(layout_of(table)), colour_(colour) {}

  std::string text() {
    titles();
    if (table_.rows.size() == 1 && !table_.has_paper() && layout_.total > kWidest) {
      list(table_.rows.front());
    } else {
      table();
    }
    for (const Finding& finding : table_.findings) {
      line(styled("1", one_line(finding.verdict)) + ": " + one_line(finding.text));
    }
    return out_;
  }

 private:
  std::string styled(const char* code, const std::string& text) const {
    return colour_ && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  void line(const std::string& text) { out_ += without_trailing_spaces(text) + "\n"; }
  void rule() {
    std::string bar;
    for (int64_t i = 0; i < layout_.total; ++i) bar += "─";
    line(styled("2", bar));
  }
  std::string gap() const { return std::string(kGap, ' '); }

  void titles() {
    if (!table_.headline.empty()) {
      line(styled("1", one_line(table_.headline)));
      line("");
    }
    if (!table_.title.empty()) {
      const std::string source = table_.reference.empty() ? "" : "  (" + table_.reference + ")";
      line(styled("1", one_line(table_.title)) + one_line(source));
    }
    if (const std::string budget = budget_text(table_); !budget.empty()) line(one_line(budget));
  }

  void table() {
    head();
    std::string group;
    for (const Row& row : table_.rows) {
      if (row.group != group) line(styled("1", one_line(group = row.group)));
      rows(row);
    }
    rule();
    legend();
  }

  /// The numbers of the only row, one on each line.
  void list(const Row& row) {
    int64_t width = 0;
    for (const Column& column : table_.columns) {
      width = std::max(width, display_width(one_line(column.label)));
    }
    line(styled("1", one_line(row.label)) + gap() + progress_text(table_, row));
    std::string group;
    for (size_t c = 0; c < row.cells.size(); ++c) {
      const Column& column = table_.columns[c];
      if (column.group != group) line(gap() + styled("1", one_line(group = column.group)));
      line(gap() + gap() + padded(one_line(column.label), width) + gap() +
           ours_text(row, row.cells[c]));
    }
  }

  void head() {
    rule();
    if (has_groups(table_)) header([](const Column& column) { return column.group; }, true);
    header([](const Column& column) { return column.label; }, false);
    rule();
  }

  template <class Name>
  void header(Name name, bool once) {
    std::string text(static_cast<size_t>(layout_.label), ' ');
    std::string previous;
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      const std::string own = one_line(name(table_.columns[c]));
      const bool repeated = once && own == previous;
      text += gap() + styled("1", padded(repeated ? "" : own, layout_.column[c]));
      previous = own;
    }
    line(text);
  }

  void rows(const Row& row) {
    std::string ours = padded(one_line(row.label), layout_.label);
    std::string paper = styled("2", padded("  " + progress_text(table_, row), layout_.label));
    for (size_t c = 0; c < row.cells.size(); ++c) {
      const Lines lines = lines_of(row, row.cells[c], layout_.value[c]);
      const std::string cell = padded(lines.ours, layout_.column[c]);
      ours += gap() + (row.cells[c].best ? styled("1", cell) : cell);
      paper += gap() + styled("2", padded(lines.paper, layout_.column[c]));
    }
    line(ours);
    if (table_.has_paper()) line(paper);
  }

  void legend() {
    line("mean ±sample standard deviation over seeds; … no records yet, – not reported");
    if (table_.has_paper()) {
      line("σ: difference from the paper in the paper's standard deviations");
    }
    if (table_.leaves_out_seeds()) line("†: without the seeds whose value is not finite");
    if (colour_ && table_.has_best()) line(styled("1", "bold") + ": best of its column and group");
  }

  const Table& table_;
  Layout layout_;
  bool colour_;
  std::string out_;
};

std::string markdown_cell(const Row& row, const Cell& cell) {
  std::string text = ours_text(row, cell);
  if (cell.best) text = fmt::format("**{}**", text);
  if (!cell.paper_mean) return text;
  const std::string sigma = cell.deviations ? ", " + deviations_text(*cell.deviations) : "";
  return fmt::format("{} ({}{})", text, paper_text(cell), sigma);
}

}  // namespace

std::string to_terminal(const Table& table, bool colour) { return Terminal(table, colour).text(); }

std::string to_markdown(const Table& table) {
  std::string head = "| |", rule = "|:--|";
  for (const Column& column : table.columns) {
    const std::string group = column.group.empty() ? "" : column.group + ": ";
    head += fmt::format(" {} |", markdown_escaped(group + column.label));
    rule += ":--|";
  }
  std::string out = head + "\n" + rule + "\n", group;
  for (const Row& row : table.rows) {
    if (row.group != group) {
      group = row.group;
      out += fmt::format("| *{}* |", markdown_escaped(group));
      for (size_t c = 0; c < row.cells.size(); ++c) out += " |";
      out += "\n";
    }
    out += fmt::format("| {} |", markdown_escaped(label_text(row)));
    for (const Cell& cell : row.cells) out += fmt::format(" {} |", markdown_cell(row, cell));
    out += "\n";
  }
  out += "\nMean ± sample standard deviation over seeds";
  if (const std::string budget = budget_text(table); !budget.empty()) {
    out += fmt::format(" ({})", markdown_escaped(budget));
  }
  if (table.has_paper()) {
    const std::string source = table.reference.empty() ? "" : ", " + table.reference;
    out += "; in brackets the paper" + markdown_escaped(source) +
           ", and the difference in its standard deviations";
  }
  out += ".";
  if (table.has_best()) out += " Bold: best of its column and group.";
  if (table.leaves_out_seeds()) out += " †: without the seeds whose value is not finite.";
  const bool waits = std::ranges::any_of(table.rows, [](const Row& row) { return row.seeds == 0; });
  if (waits) out += " …: not run.";
  out += "\n";
  for (const Finding& finding : table.findings) {
    if (&finding == &table.findings.front()) out += "\n";
    out += fmt::format("- **{}**: {}\n", finding.verdict, markdown_escaped(finding.text));
  }
  return out;
}

}  // namespace adassl::report
