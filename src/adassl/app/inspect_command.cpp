#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "adassl/app/commands.h"
#include "adassl/app/contact_sheet.h"
#include "adassl/app/inspect_page.h"
#include "adassl/app/inspect_report.h"
#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/files.h"
#include "adassl/data/inspection.h"
#include "adassl/data/usual.h"
#include "adassl/parts/automatic.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"
#include "adassl/storage/png.h"
#include "adassl/storage/replaceable.h"

namespace adassl::app {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string path;
  std::vector<std::string> overrides;
  std::string out;
  bool json = false;
};

/// The only top-level option that this command reads.
struct Seed {
  int64_t seed = 1;
  void visit(Fields& field) { field("seed", seed, "names the trial", {0, 9e15}); }
};

Config config_of(const Arguments& arguments) {
  Config config = Config::from_text("", "command line");
  for (const std::string& assignment : arguments.overrides) config.override_with(assignment);
  const std::string source = config.read_text("data.kind", "files", "");
  ADASSL_CHECK(data::is_of_files(source),
               "[data.kind] expected a kind of data that is files, got '", source, "'");
  config.set_default("samples.tolerate", 1.0);  // show damaged files instead of stopping
  if (source != "files") {
    config.set_default("data.folder", arguments.path);
    return config;
  }
  const std::string found = data::kind_of_samples(arguments.path);
  config.set_default("samples.path", arguments.path);
  config.set_default("samples.kind", found);
  return config;
}

/// Pairs and views as `adassl train` chooses them.
void choose(Config& config, const data::SampleSet& samples) {
  const std::string kind = config.read_text("samples.kind", "images", "");
  config.set_default("pairing.kind", data::usual_pairing(kind, samples));
  if (config.has("views.kind")) return;
  const parts::DataFacts facts = {
      .frames = samples.pictures(),
      .side = samples.pictures() > 0 ? data::typical_side(samples) : 0,
      .shape = samples.shape(),
      .same_sample = config.read_text("pairing.kind", "self", "") == "self"};
  for (const parts::Choice& choice : parts::automatic_choices(facts)) {
    const bool how = choice.key == "views.kind" || choice.key == "views.operations";
    if (how && !config.has(choice.key)) config.override_with(choice.key + "=" + choice.value);
  }
}

std::shared_ptr<data::Files> open_files(Config& config, uint64_t seed) {
  if (config.read_text("data.kind", "files", "") == "files") {
    return data::make_files(config, config.read<data::Files::Options>("data"), seed, choose);
  }
  return std::dynamic_pointer_cast<data::Files>(
      make_part(data::sources(), config, "data", "files", seed));
}

/// Standardises rows of numbers as `adassl train` does, unless the user says how. Returns whether.
bool standardise(Config& config, uint64_t seed, std::shared_ptr<data::Files>& source) {
  const auto* arrays = dynamic_cast<const data::Arrays*>(&source->sample_set());
  if (arrays == nullptr || config.has("samples.mean") || config.has("samples.deviation") ||
      source->split().train.empty()) {
    return false;
  }
  const data::Moments moments = data::moments_of(*arrays, source->split().train);
  for (const auto& choice : parts::standardising_choices(moments.mean, moments.deviation)) {
    config.override_with(choice.key + "=" + choice.value);
  }
  source = open_files(config, seed);
  return true;
}

/// Writes the pictures of some pairs, and the page that shows them.
void write_pairs(const fs::path& folder, uint64_t seed, InspectReport& report) {
  constexpr int64_t kShown = 8;
  const random::Stream stream{seed, "pairs", 0};
  const Batch batch = report.files.pairs(stream, kShown);
  storage::make_folders(folder);
  const fs::path page = folder / "inspect.html", sheet = folder / "pairs.png";
  storage::require_replaceable(page, "<!DOCTYPE html>", "a page", "--out");
  ADASSL_CHECK(!fs::exists(sheet) || fs::exists(page), "[", sheet.string(),
               "] expected to write a picture of pairs, got another file there, which is kept; "
               "choose another --out or remove the file");
  if (report.found.pictures > 0) {
    report.sheet = sheet.string();
    storage::write_png(report.sheet, contact_sheet(batch));
  }
  report.page = page.string();
  storage::write_atomically(
      report.page, inspect_page(report, report.files.samples_of_pairs(stream, kShown), batch));
}

void inspect(const Arguments& arguments) {
  Config config = config_of(arguments);
  const auto seed = static_cast<uint64_t>(config.read<Seed>("").seed);
  auto source = open_files(config, seed);
  config.require_all_read();
  const bool standardised = standardise(config, seed, source);
  const data::Inspection found = data::inspect(*source, seed);
  const double tolerance = data::needed_tolerance(found);
  InspectReport report{found,
                       *source,
                       config.read_text("pairing.kind", "self", ""),
                       config.read_text("views.kind", "plain", ""),
                       train_command(arguments.path, config, arguments.overrides, tolerance),
                       standardised};
  if (!arguments.out.empty()) write_pairs(arguments.out, seed, report);
  if (arguments.json) {
    std::cout << storage::json_text(as_json(report), 2) << "\n";
  } else {
    print(report, std::cout);
  }
}

}  // namespace

void add_inspect(CLI::App& data_command) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = data_command.add_subcommand(
      "inspect", "what is in a folder or file of your own, and what its pairs are like");
  command
      ->add_option("path", arguments->path,
                   "a folder of images or videos, a list of them, a video, or numbers")
      ->required();
  command->add_option("overrides", arguments->overrides,
                      "key=value, e.g. pairing.kind=group pairing.by=folder");
  command->add_option("--out", arguments->out,
                      "a folder for a page and a picture of pairs as they are seen");
  command->add_flag("--json", arguments->json, "machine-readable");
  command->callback([arguments] { inspect(*arguments); });
}

}  // namespace adassl::app
