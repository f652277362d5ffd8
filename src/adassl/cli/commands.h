#pragma once

#include "adassl/app/commands.h"
#include "adassl/study/tables.h"

/// One function for each subcommand: it declares the arguments on the parser, and the callback that
/// runs the command. The callback leaves its exit code in `exit_code`.
namespace adassl::cli {

struct Context {
  study::Tables tables = {};
  int exit_code = 0;
};

void add_train(CLI::App& app, Context& context);
void add_resume(CLI::App& app, Context& context);
void add_evaluate(CLI::App& app, Context& context);
void add_reproduce(CLI::App& app, Context& context);
void add_imagine(CLI::App& app, Context& context);
void add_retrieve(CLI::App& app, Context& context);
void add_embed(CLI::App& app, Context& context);
void add_neighbours(CLI::App& app, Context& context);
void add_probe(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_data(CLI::App& app, Context& context);
void add_info(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
void add_verify_theory(CLI::App& app, Context& context);

}  // namespace adassl::cli
