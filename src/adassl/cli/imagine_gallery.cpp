#include "adassl/cli/imagine_gallery.h"

#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/cli/sample_pages.h"
#include "adassl/report/sample_rows.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/imagined_samples.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

ordered_json as_json(const study::Imagined& one, const study::SeenSamples& gallery) {
  ordered_json out = {{"query", gallery.name(one.sample)},
                      {"distinct", one.distinct},
                      {"draws", ordered_json::array()}};
  for (const auto& draw : one.draws) {
    out["draws"].push_back({{"path", gallery.name(draw.sample)}, {"similarity", draw.similarity}});
  }
  return out;
}

report::SampleRow shown(const study::Imagined& one, const study::SeenSamples& gallery) {
  std::vector<int64_t> numbers = {one.sample};
  for (const auto& draw : one.draws) numbers.push_back(draw.sample);
  const Array seen = gallery.see(numbers);
  report::SampleRow out;
  out.title = fmt::format("{}: {} different of {}", gallery.name(one.sample), one.distinct,
                          one.draws.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string note = i == 0 ? "asked" : fmt::format("{:.3f}", one.draws[i - 1].similarity);
    out.cells.push_back(
        report::cell_of(seen, static_cast<int64_t>(i), gallery.name(numbers[i]), note));
  }
  out.cells.front().marked = true;
  return out;
}

}  // namespace

void imagine_from_gallery(const GalleryArguments& arguments, const study::Tables& tables) {
  const auto run = storage::RunDirectory::open(arguments.run, storage::RunDirectory::Lock::kNo);
  const study::Restored model = study::restore_model(run, tables);
  const study::SeenSamples gallery =
      study::open_samples(run, arguments.gallery, arguments.overrides);
  const auto found = study::imagined_samples(
      model, gallery, {arguments.queries, arguments.rows, arguments.draws, model.seed});
  std::vector<report::SampleRow> rows;
  for (const study::Imagined& one : found) {
    if (arguments.json) {
      std::cout << as_json(one, gallery).dump() << "\n";
    } else {
      rows.push_back(shown(one, gallery));
    }
  }
  if (arguments.json) return;
  const fs::path folder = arguments.out.empty() ? run.path() : fs::path(arguments.out);
  const fs::path page = folder / "imagine.html";
  write_sample_page(
      page, "What may belong together with it?",
      fmt::format("Each row begins with one sample. From it alone the model drew r {} times and "
                  "predicted the embedding of a partner. Behind it are those of {} samples that "
                  "are nearest to the predictions, with the cosine similarity ({}, step {}).",
                  arguments.draws, gallery.usable.size(), model.method_name, model.step),
      report::sample_rows(rows));
  std::cout << "page: " << page.string() << "\n";
}

}  // namespace adassl::cli
