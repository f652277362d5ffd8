#include <iostream>
#include <memory>

#include "adassl/cli/commands.h"
#include "adassl/study/sample_pages.h"

namespace adassl::cli {
namespace {

struct Arguments {
  std::string run, data, out, layer = "embedding";
  std::vector<std::string> overrides, queries;
  int64_t count = 8;
  int64_t rows = 12;
  bool json = false;
};

void neighbours(const Arguments& arguments, const study::Tables& tables) {
  const auto run = storage::RunDirectory::open(arguments.run, storage::RunDirectory::Lock::kNo);
  const study::Restored model = study::restore_model(run, tables);
  const study::SeenSamples samples = study::open_samples(run, arguments.data, arguments.overrides);
  const auto output =
      arguments.layer == "embedding" ? study::Output::kEmbedding : study::Output::kRepresentation;
  const study::NearestOptions options{arguments.queries, arguments.rows, arguments.count, output};
  study::show(study::neighbours_page(model, samples, options), samples,
              {arguments.out.empty() ? run.path().string() : arguments.out, arguments.json},
              std::cout);
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
