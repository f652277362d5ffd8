#include "adassl/cli/imagine_groups.h"

#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/cli/sample_pages.h"
#include "adassl/report/control_figure.h"
#include "adassl/report/sample_rows.h"
#include "adassl/storage/file.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/controlled_samples.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using study::Controlled;
using study::Nearest;
using study::SeenSamples;

/// The rows of the page for one sample; in JSON each says which group was sampled.
std::vector<FoundRow> rows_of(const Controlled& one, const SeenSamples& gallery) {
  const std::string name = gallery.name(one.sample);
  std::vector<FoundRow> out = {
      {one.sample, one.neighbours, name + ": nearest neighbours", {{"sampled", nullptr}}},
      {one.sample, {one.still}, "r at its expectation", {{"sampled", ordered_json::array()}}}};
  for (const Controlled::Row& row : one.rows) {
    out.push_back({one.sample, row.found, row.name + " sampled", {{"sampled", row.name}}});
  }
  return out;
}

std::vector<storage::Image> pictures(const SeenSamples& gallery,
                                     const std::vector<Nearest::Other>& found) {
  std::vector<int64_t> numbers;
  for (const Nearest::Other& other : found) numbers.push_back(other.sample);
  const Array seen = gallery.see(numbers);
  std::vector<storage::Image> out;
  for (int64_t i = 0; i < seen.rows(); ++i) out.push_back(report::picture_of(seen, i));
  return out;
}

report::ControlFigure::Query figure_of(const Controlled& one, const SeenSamples& gallery) {
  const auto single = pictures(gallery, {{one.sample, 1}, one.still});
  report::ControlFigure::Query out{
      gallery.name(one.sample), single[0], pictures(gallery, one.neighbours), single[1], {}};
  for (const Controlled::Row& row : one.rows) {
    out.rows.push_back({row.name, pictures(gallery, row.found)});
  }
  return out;
}

}  // namespace

void imagine_by_groups(const GalleryArguments& arguments, const study::Tables& tables) {
  const auto run = storage::RunDirectory::open(arguments.run, storage::RunDirectory::Lock::kNo);
  const study::Restored model = study::restore_model(run, tables);
  const SeenSamples gallery = study::open_samples(run, arguments.gallery, arguments.overrides);
  const auto found = study::controlled_samples(model, gallery,
                                               {.queries = arguments.queries,
                                                .rows = arguments.rows,
                                                .draws = arguments.draws,
                                                .seed = model.seed},
                                               study::recorded_groups(run));
  FoundPage page{"imagine-groups", "found", "What does each part of r change?", "", {}};
  page.about = fmt::format(
      "From one sample, the model predicts the embedding of a partner. In each row one group of "
      "dimensions of r is sampled and the others stay at their expectation; shown are the nearest "
      "of {} samples, with the cosine similarity ({}, step {}).",
      gallery.usable.size(), model.method_name, model.step);
  for (const Controlled& one : found) {
    for (FoundRow& row : rows_of(one, gallery)) page.rows.push_back(std::move(row));
  }
  const fs::path folder = arguments.out.empty() ? run.path() : fs::path(arguments.out);
  show(page, gallery, {folder, arguments.json});
  if (arguments.json || gallery.set->pictures() == 0) return;
  report::ControlFigure figure;
  for (const Controlled& one : found) figure.queries.push_back(figure_of(one, gallery));
  const fs::path picture = folder / "imagine-groups.svg";
  storage::write_atomically(picture, report::control_picture(figure));
  std::cout << "picture: " << picture.string() << "\n";
}

}  // namespace adassl::cli
