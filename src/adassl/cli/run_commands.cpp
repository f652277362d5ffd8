#include <filesystem>
#include <iostream>
#include <memory>

#include "adassl/app/write_report.h"
#include "adassl/cli/commands.h"
#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/records/record.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/own_data.h"
#include "adassl/study/run.h"
#include "adassl/training/interrupt.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string target;  // a configuration or a run directory
  std::string run;
  std::vector<std::string> overrides;
  double status_every = 0;
  bool json = false;
  bool untrained = false;
};

/// The common end of train and resume: prints the outcome and returns the exit code.
int conclude(const study::RunOutcome& outcome, const fs::path& directory) {
  if (outcome.already_finished) {
    std::cout << directory.string() << " is finished (" << outcome.step
              << " steps); there is nothing to resume\npage: "
              << (directory / "report.html").string() << "\n";
    return 0;
  }
  if (outcome.signal != 0) {
    std::cerr << "stopped at step " << outcome.step << "; continue with: adassl resume "
              << directory.string() << "\n";
    return 128 + outcome.signal;
  }
  std::cout << app::terminal_table(directory) << "\nrun: " << directory.string()
            << "\npage: " << (directory / "report.html").string() << "\n";
  return 0;
}

void add_status_option(CLI::App& command, Arguments& arguments) {
  command.add_option("--status-every", arguments.status_every,
                     "seconds between two progress lines (default: 0.5 on a terminal, else 10)");
}

}  // namespace

void add_train(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "train");
  command
      ->add_option("config", arguments->target,
                   "a TOML file, e.g. from configs/; or a folder or file of your own data")
      ->required();
  command->add_option("overrides", arguments->overrides,
                      "key=value, e.g. train.steps=20000 seed=3");
  command->add_option("--run", arguments->run, "run directory (default: runs/<config's name>)");
  add_status_option(*command, *arguments);
  command->callback([arguments, &context] {
    const fs::path directory =
        arguments->run.empty()
            ? storage::RunDirectory::fresh_name("runs", fs::path(arguments->target).stem().string())
            : fs::path(arguments->run);
    storage::RunDirectory::require_unused(directory);
    Config config = study::is_own_data(arguments->target)
                        ? study::own_data_config(arguments->target, arguments->overrides,
                                                 study::catalogue_of(context.tables), std::cout)
                        : parts::read_run_config(arguments->target, arguments->overrides);
    training::catch_interrupts();
    context.exit_code = conclude(study::start_run(std::move(config), directory,
                                                  {.status_pause = arguments->status_every,
                                                   .write_page = app::write_run_report,
                                                   .tables = context.tables}),
                                 directory);
  });
}

void add_resume(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "resume");
  command->add_option("run", arguments->target, "run directory")->required();
  auto threads = std::make_shared<int64_t>(0);
  command
      ->add_option("--threads", *threads,
                   "number of threads; with fused kernels the bits stay the same")
      ->check(CLI::Range(1, 1024));
  add_status_option(*command, *arguments);
  command->callback([arguments, threads, &context] {
    training::catch_interrupts();
    context.exit_code =
        conclude(study::resume_run(arguments->target, {.status_pause = arguments->status_every,
                                                       .threads = *threads,
                                                       .write_page = app::write_run_report,
                                                       .tables = context.tables}),
                 arguments->target);
  });
}

void add_evaluate(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "evaluate");
  command->add_option("run", arguments->target, "run directory")->required();
  command->add_option("overrides", arguments->overrides,
                      "key=value below evaluate.*, e.g. evaluate.regression.test_samples=10000");
  command->add_flag("--json", arguments->json, "print the records as JSON");
  command->add_flag("--untrained", arguments->untrained,
                    "evaluate the weights that the seed draws instead, as a row for comparison");
  command->callback([arguments, &context] {
    const auto records = study::evaluate_run(
        arguments->target, arguments->overrides, context.tables,
        arguments->untrained ? study::Weights::kUntrained : study::Weights::kTrained);
    try {
      app::write_run_report(arguments->target);
    } catch (const WriteError& error) {  // not fatal: the results are still printed
      std::cerr << "warning: " << error.what() << "\n";
    }
    if (arguments->json) {
      std::cout << records::to_lines(records);
      return;
    }
    if (records.empty()) return;  // a signal came
    for (const auto& [name, value] : records.front().metrics) {
      std::cout << name << " = " << nlohmann::json(value).dump() << "\n";
    }
  });
}

}  // namespace adassl::cli
