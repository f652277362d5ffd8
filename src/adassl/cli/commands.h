#pragma once

#include "adassl/app/commands.h"
#include "adassl/study/tables.h"

/// One function for each subcommand: it declares its arguments on the parser and what happens when
/// it is chosen. What happens ends in an exit code, left in `exit_code`.
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
void add_data(CLI::App& app, Context& context);
void add_info(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
void add_verify_theory(CLI::App& app, Context& context);

}  // namespace adassl::cli
