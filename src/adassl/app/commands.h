#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "adassl/parts/catalogue.h"

/// The commands of the program, and those that need no model. The launcher (`adassl`) runs these by
/// itself; for the others it starts `adassl-main`, which is linked to LibTorch.
namespace adassl::app {

struct Command {
  const char* name;
  const char* summary;
  bool needs_model;  // or anything else from LibTorch
};

const std::vector<Command>& commands();

/// The parser without its commands.
std::unique_ptr<CLI::App> make_app();

/// Declares a command of the table; the caller adds its arguments and its callback.
CLI::App* add_command(CLI::App& app, const std::string& name);

void add_report(CLI::App& app);
void add_list(CLI::App& app, const parts::Catalogue& catalogue);
void add_check(CLI::App& app, const parts::Catalogue& catalogue);

/// Adds `inspect` to the command `data`, whose other subcommands belong to `adassl-main`.
void add_inspect(CLI::App& data_command);

/// All commands that need no model.
void add_light_commands(CLI::App& app, const parts::Catalogue& catalogue);

/// Error when the first word is neither an option nor a command; CLI11 would only say that one is
/// required.
void require_command(int argc, char** argv);

/// Parses the command line and runs the command. Returns 0, or the exit code of a mistake on the
/// command line.
int parse(CLI::App& app, int argc, char** argv);

}  // namespace adassl::app
