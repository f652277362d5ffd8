#include "adassl/study/sample_pages.h"

#include <fmt/format.h>

#include "adassl/report/html.h"
#include "adassl/report/sample_rows.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"

namespace adassl::study {
namespace {

nlohmann::ordered_json line_of(const FoundRow& row, const std::string& list,
                               const SeenSamples& samples) {
  nlohmann::ordered_json out = {{"query", samples.name(row.sample)}};
  if (!row.facts.is_null()) out.update(row.facts);
  out[list] = nlohmann::ordered_json::array();
  for (const Nearest::Other& other : row.others) {
    out[list].push_back({{"path", samples.name(other.sample)}, {"similarity", other.similarity}});
  }
  return out;
}

report::SampleRow cells_of(const FoundRow& row, const SeenSamples& samples) {
  std::vector<int64_t> numbers = {row.sample};
  for (const Nearest::Other& other : row.others) numbers.push_back(other.sample);
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

FoundPage neighbours_page(const Restored& model, const SeenSamples& samples,
                          const NearestOptions& options) {
  FoundPage page{"neighbours", "neighbours", "Nearest samples", "", {}};
  page.about = fmt::format(
      "Each row begins with one sample. Behind it are the {} others of {} samples whose {} is "
      "nearest by cosine similarity ({}, step {}).",
      options.count, samples.usable.size(),
      options.output == Output::kEmbedding ? "embedding" : "representation", model.method_name,
      model.step);
  for (Nearest& one : nearest_samples(model, samples, options)) {
    page.rows.push_back({one.sample, std::move(one.others)});
  }
  return page;
}

FoundPage imagined_page(const Restored& model, const SeenSamples& gallery,
                        const ImagineOptions& options) {
  FoundPage page{"imagine", "draws", "What may belong together with it?", "", {}};
  page.about = fmt::format(
      "Each row begins with one sample. From it alone the model drew r {} times and predicted the "
      "embedding of a partner. Behind it are those of {} samples that are nearest to the "
      "predictions, with the cosine similarity ({}, step {}).",
      options.draws, gallery.usable.size(), model.method_name, model.step);
  for (Imagined& one : imagined_samples(model, gallery, options)) {
    const std::string title = fmt::format("{}: {} different of {}", gallery.name(one.sample),
                                          one.distinct, one.draws.size());
    page.rows.push_back({one.sample, std::move(one.draws), title, {{"distinct", one.distinct}}});
  }
  return page;
}

void show(const FoundPage& page, const SeenSamples& samples, const Showing& showing,
          std::ostream& out) {
  if (showing.json) {
    for (const FoundRow& row : page.rows) {
      out << storage::json_text(line_of(row, page.list, samples)) << "\n";
    }
    return;
  }
  std::vector<report::SampleRow> rows;
  for (const FoundRow& row : page.rows) rows.push_back(cells_of(row, samples));
  const std::filesystem::path path = showing.folder / (page.name + ".html");
  write_sample_page(path, page.title, page.about, report::sample_rows(rows));
  out << "page: " << path.string() << "\n";
}

}  // namespace adassl::study
