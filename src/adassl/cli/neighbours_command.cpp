#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/cli/commands.h"
#include "adassl/cli/sample_pages.h"
#include "adassl/report/sample_rows.h"
#include "adassl/study/nearest_samples.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Arguments {
  std::string run, data, out, layer = "embedding";
  std::vector<std::string> overrides, queries;
  int64_t count = 8;
  int64_t rows = 12;
  bool json = false;
};

ordered_json as_json(const study::Nearest& one, const study::SeenSamples& samples) {
  ordered_json out = {{"query", samples.name(one.sample)}, {"neighbours", ordered_json::array()}};
  for (const auto& other : one.others) {
    out["neighbours"].push_back(
        {{"path", samples.name(other.sample)}, {"similarity", other.similarity}});
  }
  return out;
}

report::SampleRow shown(const study::Nearest& one, const study::SeenSamples& samples) {
  std::vector<int64_t> numbers = {one.sample};
  for (const auto& other : one.others) numbers.push_back(other.sample);
  const Array seen = samples.see(numbers);
  report::SampleRow out;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string note = i == 0 ? "asked" : fmt::format("{:.3f}", one.others[i - 1].similarity);
    out.cells.push_back(
        report::cell_of(seen, static_cast<int64_t>(i), samples.name(numbers[i]), note));
  }
  out.cells.front().marked = true;
  return out;
}

void neighbours(const Arguments& arguments, const study::Tables& tables) {
  const auto run = storage::RunDirectory::open(arguments.run, storage::RunDirectory::Lock::kNo);
  const study::Restored model = study::restore_model(run, tables);
  const study::SeenSamples samples = study::open_samples(run, arguments.data, arguments.overrides);
  const auto output =
      arguments.layer == "embedding" ? study::Output::kEmbedding : study::Output::kRepresentation;
  const auto found = study::nearest_samples(
      model, samples, {arguments.queries, arguments.rows, arguments.count, output});
  std::vector<report::SampleRow> rows;
  for (const study::Nearest& one : found) {
    if (arguments.json) {
      std::cout << as_json(one, samples).dump() << "\n";
    } else {
      rows.push_back(shown(one, samples));
    }
  }
  if (arguments.json) return;
  const fs::path folder = arguments.out.empty() ? run.path() : fs::path(arguments.out);
  const fs::path page = folder / "neighbours.html";
  write_sample_page(
      page, "Nearest samples",
      fmt::format("Each row begins with one sample. Behind it are the {} others of "
                  "{} samples whose {} is nearest by cosine similarity ({}, step {}).",
                  arguments.count, samples.usable.size(), arguments.layer, model.method_name,
                  model.step),
      report::sample_rows(rows));
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
