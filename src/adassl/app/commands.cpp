#include "adassl/app/commands.h"

#include <algorithm>
#include <iostream>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"

namespace adassl::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"train", "train a model, then evaluate it", true},
      {"resume", "continue a run exactly where it stopped", true},
      {"evaluate", "evaluate a run's newest checkpoint", true},
      {"reproduce", "run a study of the paper; finished runs are kept, unfinished ones resumed",
       true},
      {"report", "make a page from a run directory or a file of records", false},
      {"imagine",
       "draw r from x alone, predict x+ with it, and show the true futures that are nearest", true},
      {"retrieve", "predict x+ with the true change, and show the nearest clips of a pool", true},
      {"embed", "write the embeddings of your own files", true},
      {"neighbours", "show which of your samples are nearest to each other", true},
      {"probe", "predict a column of your data from embeddings, cross-validated", true},
      {"explain", "say what changed between two samples, and show pairs that change alike", true},
      {"list", "list all parts and their options", false},
      {"check", "check a configuration without running it, and print it with all values", false},
      {"data", "fetch data, or draw some of it", true},
      {"info", "describe this machine and this build", true},
      {"bench", "measure the parts of a training step, with fused and with reference kernels",
       true},
      {"verify-theory", "check propositions 1 and 2 of the paper numerically", true},
  };
  return table;
}

std::unique_ptr<CLI::App> make_app() {
  auto app = std::make_unique<CLI::App>(
      "adassl: trains encoders from naturally paired data and finds out what the pairs differ in",
      "adassl");
  app->require_subcommand(1);
  app->set_version_flag("--version",
                        "adassl " + host::version() + " (commit " + host::commit() + ")",
                        "print the version and the commit");
  app->set_help_all_flag("--help-all", "print the help of every command");
  return app;
}

CLI::App* add_command(CLI::App& app, const std::string& name) {
  const auto found = std::ranges::find(commands(), name, &Command::name);
  ADASSL_CHECK(found != commands().end(), "[commands] no command '", name, "' in the table");
  return app.add_subcommand(name, found->summary);
}

void add_light_commands(CLI::App& app, const parts::Catalogue& catalogue) {
  add_report(app);
  add_list(app, catalogue);
  add_check(app, catalogue);
}

void require_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> known;
  for (const Command& command : commands()) known.emplace_back(command.name);
  const std::string chosen = argv[1];
  ADASSL_CHECK(std::ranges::find(known, chosen) != known.end(), "expected a command, one of ",
               text::list(known), ", got '", chosen, "'", text::did_you_mean(chosen, known),
               " (see 'adassl --help')");
}

int parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "adassl: " << error.what() << " (see 'adassl --help')\n";
    return 2;
  }
  return 0;
}

}  // namespace adassl::app
