#include "adassl/study/control_page.h"

#include <fmt/format.h>

#include "adassl/report/control_figure.h"
#include "adassl/report/sample_rows.h"

namespace adassl::study {
namespace {

std::vector<storage::Image> pictures_of(const SeenSamples& gallery,
                                        const std::vector<Nearest::Other>& found) {
  std::vector<int64_t> numbers;
  for (const Nearest::Other& other : found) numbers.push_back(other.sample);
  const Array seen = gallery.see(numbers);
  std::vector<storage::Image> out;
  for (int64_t i = 0; i < seen.rows(); ++i) out.push_back(report::picture_of(seen, i));
  return out;
}

}  // namespace

FoundPage control_page(const std::vector<Controlled>& found, const Restored& model,
                       const SeenSamples& gallery) {
  FoundPage page{"imagine-groups", "found", "What does each part of r change?", "", {}};
  page.about = fmt::format(
      "From one sample, the model predicts the embedding of a partner. In each row one group of "
      "dimensions of r is sampled and the others stay at their expectation; shown are the nearest "
      "of {} samples, with the cosine similarity ({}, step {}).",
      gallery.usable.size(), model.method_name, model.step);
  for (const Controlled& one : found) {
    const std::string name = gallery.name(one.sample);
    page.rows.push_back(
        {one.sample, one.neighbours, name + ": nearest neighbours", {{"sampled", nullptr}}});
    page.rows.push_back({one.sample,
                         {one.still},
                         "r at its expectation",
                         {{"sampled", nlohmann::ordered_json::array()}}});
    for (const Controlled::Row& row : one.rows) {
      page.rows.push_back({one.sample, row.found, row.name + " sampled", {{"sampled", row.name}}});
    }
  }
  return page;
}

std::string control_picture(const std::vector<Controlled>& found, const SeenSamples& gallery) {
  report::ControlFigure figure;
  for (const Controlled& one : found) {
    const auto single = pictures_of(gallery, {{one.sample, 1}, one.still});
    figure.queries.push_back(
        {gallery.name(one.sample), single[0], pictures_of(gallery, one.neighbours), single[1], {}});
    for (const Controlled::Row& row : one.rows) {
      figure.queries.back().rows.push_back({row.name, pictures_of(gallery, row.found)});
    }
  }
  return report::control_picture(figure);
}

}  // namespace adassl::study
