#include "adassl/app/inspect_page.h"

#include <fmt/format.h>

#include "adassl/report/html.h"
#include "adassl/report/sample_rows.h"

namespace adassl::app {
namespace {

std::string table_of(const InspectReport& report) {
  std::string out = "<table>\n";
  for (const InspectLine& line : lines_of(report)) {
    if (line.name == "page") continue;
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                       report::escaped(line.name), report::escaped(line.text));
  }
  return out + "</table>\n";
}

std::string rows_of(const InspectReport& report, std::span<const data::Pair> pairs,
                    const Batch& batch) {
  const data::SampleSet& samples = report.files.sample_set();
  std::vector<report::SampleRow> rows;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    const data::Pair& pair = pairs[i];
    auto& cells = rows.emplace_back().cells;
    cells.push_back(report::cell_of(batch.x, row, samples.name(pair.x), "x"));
    cells.push_back(report::cell_of(batch.x_plus, row, samples.name(pair.x_plus), "x+"));
    if (batch.helper.shape == batch.x.shape) {
      const int64_t further = pair.further >= 0 ? pair.further : pair.x_plus;
      cells.push_back(report::cell_of(batch.helper, row, samples.name(further), "x++"));
    }
  }
  return report::sample_rows(rows);
}

}  // namespace

std::string inspect_page(const InspectReport& report, std::span<const data::Pair> pairs,
                         const Batch& batch) {
  const std::string title = "What is in these samples?";
  const std::string body =
      report::section(
          "Some pairs",
          "As training sees them, cut and changed by the views. x and x+ are the two "
          "samples of a pair. x++ is one more view of x+, or a sample of its own where a list of "
          "pairs names it; r is inferred from x and x++.",
          rows_of(report, pairs, batch)) +
      report::section("What was found", "", table_of(report));
  return report::html_page(
      title, fmt::format("<h1>{}</h1>\n{}<footer>Made by adassl.</footer>\n", title, body));
}

}  // namespace adassl::app
