#include "adassl/cli/sample_pages.h"

#include <iostream>

#include <fmt/format.h>

#include "adassl/report/html.h"
#include "adassl/report/sample_rows.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"

namespace adassl::cli {
namespace {

using nlohmann::ordered_json;

ordered_json as_json(const FoundRow& row, const std::string& list,
                     const study::SeenSamples& samples) {
  ordered_json out = {{"query", samples.name(row.sample)}};
  if (!row.facts.is_null()) out.update(row.facts);
  out[list] = ordered_json::array();
  for (const auto& other : row.others) {
    out[list].push_back({{"path", samples.name(other.sample)}, {"similarity", other.similarity}});
  }
  return out;
}

report::SampleRow shown(const FoundRow& row, const study::SeenSamples& samples) {
  std::vector<int64_t> numbers = {row.sample};
  for (const auto& other : row.others) numbers.push_back(other.sample);
  const Array seen = samples.see(numbers);
  report::SampleRow out{row.title, {}};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string note = i == 0 ? "asked" : fmt::format("{:.3f}", row.others[i - 1].similarity);
    out.cells.push_back(
        report::cell_of(seen, static_cast<int64_t>(i), samples.name(numbers[i]), note));
  }
  out.cells.front().marked = true;
  return out;
}

}  // namespace

void write_sample_page(const std::filesystem::path& path, const std::string& title,
                       const std::string& about, const std::string& body) {
  storage::make_folders(path.parent_path());
  storage::write_atomically(
      path,
      report::html_page(title, fmt::format("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}"
                                           "<footer>Made by adassl.</footer>\n",
                                           report::escaped(title), report::escaped(about), body)));
}

void show(const FoundPage& page, const study::SeenSamples& samples, const Showing& showing) {
  if (showing.json) {
    for (const FoundRow& row : page.rows) {
      std::cout << storage::json_text(as_json(row, page.list, samples)) << "\n";
    }
    return;
  }
  std::vector<report::SampleRow> rows;
  for (const FoundRow& row : page.rows) rows.push_back(shown(row, samples));
  const std::filesystem::path path = showing.folder / (page.name + ".html");
  write_sample_page(path, page.title, page.about, report::sample_rows(rows));
  std::cout << "page: " << path.string() << "\n";
}

}  // namespace adassl::cli
