#include <cmath>
#include <iostream>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/cli/commands.h"
#include "adassl/evaluation/cross_validation.h"
#include "adassl/nn/tensors.h"
#include "adassl/storage/json_lines.h"
#include "adassl/study/probed_column.h"

namespace adassl::cli {
namespace {

using evaluation::CrossValidated;
using nlohmann::ordered_json;

struct Arguments {
  std::string run, data, column, by;
  std::vector<std::string> overrides;
  int64_t folds = 5;
  int64_t neighbours = 20;
  bool json = false;
};

/// Mean and sample standard deviation over the folds.
std::pair<double, double> summary(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double square = 0;
  for (const double value : values) square += (value - mean) * (value - mean);
  return {mean, std::sqrt(square / std::max(count - 1, 1.0))};
}

void print(const std::string& output, const std::string& probe, const std::string& what,
           const std::vector<double>& values, double chance, const Arguments& arguments) {
  const auto [mean, deviation] = summary(values);
  if (arguments.json) {
    const ordered_json line = {{"column", arguments.column},
                               {"output", output},
                               {"probe", probe},
                               {"metric", what},
                               {"mean", mean},
                               {"deviation", deviation},
                               {"folds", values},
                               {"chance", chance}};
    std::cout << storage::json_text(line) << "\n";
    return;
  }
  std::cout << fmt::format("{:<16} {:<8} {:<9} {:.3f} ± {:.3f}   (guessing: {:.3f})\n", output,
                           probe, what, mean, deviation, chance);
}

void probe(const Arguments& arguments, const study::Tables& tables) {
  const auto run = storage::RunDirectory::open(arguments.run, storage::RunDirectory::Lock::kNo);
  const study::Restored model = study::restore_model(run, tables);
  const study::SeenSamples samples = study::open_samples(run, arguments.data, arguments.overrides);
  const auto target = study::probed_column(samples, arguments.column, arguments.by);
  const auto folds = evaluation::group_folds(target.groups, arguments.folds, {1, "probe/folds"});
  for (const auto& [name, output] : {std::pair{"representation", study::Output::kRepresentation},
                                     {"embedding", study::Output::kEmbedding}}) {
    const Array rows = study::all_rows(model, samples, output);
    const CrossValidated result = evaluation::cross_validate(
        nn::view(rows), target.values, target.classes, folds, arguments.neighbours);
    print(name, "linear", target.classes > 0 ? "accuracy" : "R2", result.linear, result.chance,
          arguments);
    if (!result.knn.empty()) {
      print(name, "knn", "accuracy", result.knn, result.chance, arguments);
    }
  }
}

}  // namespace

void add_probe(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "probe");
  command->add_option("run", arguments->run, "run directory")->required();
  command->add_option("data", arguments->data, "a folder or file, as for train")->required();
  command->add_option("overrides", arguments->overrides,
                      "key=value below samples.*, e.g. samples.table=labels.csv");
  command->add_option("--column", arguments->column, "what to predict")->required();
  command->add_option("--by", arguments->by,
                      "groups that are kept together: folder, a column, or a regular expression");
  command->add_option("--folds", arguments->folds, "parts, each of which is held out once")
      ->check(CLI::Range(2, 100))
      ->capture_default_str();
  command->add_option("--neighbours", arguments->neighbours, "that vote")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "one line for each probe");
  command->callback([arguments, &context] { probe(*arguments, context.tables); });
}

}  // namespace adassl::cli
