#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/cli/commands.h"
#include "adassl/cli/sample_pages.h"
#include "adassl/core/error.h"
#include "adassl/kernels/nearest.h"
#include "adassl/report/sample_rows.h"
#include "adassl/storage/file.h"
#include "adassl/study/seen_samples.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;
using kernels::Neighbour;
using nlohmann::ordered_json;

struct Arguments {
  std::string run, data, out, layer = "embedding";
  std::vector<std::string> overrides, queries;
  int64_t count = 8;
  int64_t rows = 12;
  bool json = false;
};

/// Rows of length 1, so that inner products are cosines. A row of zeros stays one.
void normalise(Array& rows) {
  for (int64_t i = 0; i < rows.rows(); ++i) {
    const std::span<float> row = row_of(rows, i);
    double square = 0;
    for (const float value : row) square += static_cast<double>(value) * value;
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (float& value : row) value = static_cast<float>(value * scale);
  }
}

/// Which rows are asked about: those named, or some that are spread evenly.
std::vector<int64_t> chosen_rows(const Arguments& arguments, const study::SeenSamples& samples) {
  const auto count = static_cast<int64_t>(samples.usable.size());
  std::vector<int64_t> out;
  for (const std::string& query : arguments.queries) {
    const auto found = std::ranges::find_if(
        samples.usable, [&](int64_t sample) { return samples.name(sample) == query; });
    ADASSL_CHECK(found != samples.usable.end(), "[neighbours] expected the name of a sample in ",
                 arguments.data, ", such as '", samples.name(samples.usable.front()), "', got '",
                 query, "'");
    out.push_back(found - samples.usable.begin());
  }
  if (!out.empty()) return out;
  const int64_t rows = std::min(arguments.rows, count);
  for (int64_t i = 0; i < rows; ++i) out.push_back(i * count / rows);
  return out;
}

std::vector<float> picked(const Array& rows, const std::vector<int64_t>& chosen) {
  std::vector<float> out;
  for (const int64_t i : chosen) {
    const auto first = rows.values.begin() + i * rows.columns();
    out.insert(out.end(), first, first + rows.columns());
  }
  return out;
}

void neighbours(const Arguments& arguments, const study::Tables& tables) {
  const auto run = storage::RunDirectory::open(arguments.run, storage::RunDirectory::Lock::kNo);
  const study::Restored model = study::restore_model(run, tables);
  const study::SeenSamples samples = study::open_samples(run, arguments.data, arguments.overrides);
  const auto output =
      arguments.layer == "embedding" ? study::Output::kEmbedding : study::Output::kRepresentation;
  Array rows = study::all_rows(model, samples, output);
  normalise(rows);
  const std::vector<int64_t> asked = chosen_rows(arguments, samples);
  const std::vector<float> queries = picked(rows, asked);
  const auto found = kernels::nearest_rows({queries, rows.columns()}, {rows.values, rows.columns()},
                                           arguments.count + 1);
  std::vector<report::SampleRow> shown;
  for (size_t q = 0; q < asked.size(); ++q) {
    const int64_t sample = samples.usable[static_cast<size_t>(asked[q])];
    std::vector<Neighbour> others;
    for (const Neighbour& one : found[q]) {
      if (one.row != asked[q] && static_cast<int64_t>(others.size()) < arguments.count) {
        others.push_back(one);
      }
    }
    if (arguments.json) {
      ordered_json line = {{"query", samples.name(sample)}, {"neighbours", ordered_json::array()}};
      for (const Neighbour& one : others) {
        line["neighbours"].push_back(
            {{"path", samples.name(samples.usable[static_cast<size_t>(one.row)])},
             {"similarity", one.similarity}});
      }
      std::cout << line.dump() << "\n";
      continue;
    }
    std::vector<int64_t> numbers = {sample};
    for (const Neighbour& one : others) {
      numbers.push_back(samples.usable[static_cast<size_t>(one.row)]);
    }
    const Array seen = samples.see(numbers);
    report::SampleRow row;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const std::string note = i == 0 ? "asked" : fmt::format("{:.3f}", others[i - 1].similarity);
      row.cells.push_back(
          report::cell_of(seen, static_cast<int64_t>(i), samples.name(numbers[i]), note));
    }
    row.cells.front().marked = true;
    shown.push_back(std::move(row));
  }
  if (arguments.json) return;
  const fs::path page = arguments.out.empty() ? run.path() / "neighbours.html"
                                              : fs::path(arguments.out) / "neighbours.html";
  write_sample_page(
      page, "Nearest samples",
      fmt::format("Each row begins with one sample. Behind it are the {} others of "
                  "{} samples whose {} is nearest by cosine similarity ({}, step {}).",
                  arguments.count, samples.usable.size(), arguments.layer, model.method_name,
                  model.step),
      report::sample_rows(shown));
  std::cout << "page: " << page.string() << "\n";
}

}  // namespace

void add_neighbours(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "neighbours");
  command->add_option("run", arguments->run, "run directory")->required();
  command->add_option("data", arguments->data, "a folder or file, as for train")->required();
  command->add_option("overrides", arguments->overrides, "key=value below samples.*");
  command->add_option("--query", arguments->queries,
                      "names of samples; default: some that are spread evenly");
  command->add_option("--rows", arguments->rows, "how many samples, unless they are named")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--count", arguments->count, "neighbours of each")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--layer", arguments->layer, "which output of the encoder")
      ->check(CLI::IsMember({"embedding", "representation"}))
      ->capture_default_str();
  command->add_option("--out", arguments->out, "folder for the page (default: the run's)");
  command->add_flag("--json", arguments->json, "one line for each sample, and no page");
  command->callback([arguments, &context] { neighbours(*arguments, context.tables); });
}

}  // namespace adassl::cli
