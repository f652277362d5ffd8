#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "adassl/app/write_report.h"
#include "adassl/cli/commands.h"
#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/records/record.h"
#include "adassl/report/page.h"
#include "adassl/storage/file.h"
#include "adassl/storage/replaceable.h"
#include "adassl/study/gather.h"
#include "adassl/study/reproduce.h"
#include "adassl/training/interrupt.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string study;
  std::string budget = "quick";
  std::string seeds;
  int64_t jobs = 0;
  std::vector<std::string> rows;
  std::string out = "runs";
  std::string records;
  bool json = false;
};

int reproduce(const Arguments& arguments) {
  const fs::path of_that_name = fs::path("studies") / (arguments.study + ".toml");
  ADASSL_CHECK(fs::exists(arguments.study) || !fs::exists(of_that_name), "[", arguments.study,
               "] expected a file; did you mean '", of_that_name.string(), "'?");
  const study::Study study = study::read_study(arguments.study);
  const study::Seeds seeds = study::seeds_of(study, arguments.budget, arguments.seeds);
  const auto planned = study::plan(study, arguments.budget, seeds, arguments.out);
  const fs::path to = fs::path(arguments.records).parent_path();
  ADASSL_CHECK(to.empty() || fs::is_directory(to), "[", arguments.records,
               "] cannot be written: there is no folder ", to.string());
  if (!arguments.records.empty()) {
    storage::require_replaceable(arguments.records, "{", "records", "--records");
  }
  const int64_t cores = host::logical_cores();
  const int64_t jobs = arguments.jobs > 0 ? arguments.jobs : cores;
  training::catch_interrupts();
  const auto outcome =
      study::run_all(study::only_rows(study, planned, arguments.rows), {jobs, cores});

  const study::Seeds whole = study::seeds_of(study, arguments.budget, "");
  const study::Seeds shown = {whole.first, std::max(whole.last, seeds.last)};
  const auto there = study::plan(study, arguments.budget, shown, arguments.out);
  const auto records = study::gather(study, arguments.budget, study::without_others(there));
  const fs::path folder = fs::path(arguments.out) / study.name / arguments.budget;
  storage::make_folders(folder);
  storage::write_atomically(folder / "records.jsonl", records::to_lines(records));
  storage::write_atomically(folder / "report.html", report::study_page(records));
  if (!arguments.records.empty()) {
    storage::write_atomically(arguments.records, records::to_lines(study::evaluated(records)));
  }
  if (arguments.json) {
    std::cout << report::to_json(report::make_table(records)).dump(2) << "\n";
  } else {
    std::cout << app::terminal_table(records) << "\npage: " << (folder / "report.html").string()
              << "\n";
  }
  if (outcome.signal != 0) return 128 + outcome.signal;
  if (outcome.failed > 0) return outcome.users_mistake ? 2 : 1;
  return 0;
}

}  // namespace

void add_reproduce(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "reproduce");
  command->add_option("study", arguments->study, "a TOML file from studies/")->required();
  command->add_option("--budget", arguments->budget, "a budget of the study: quick, standard, full")
      ->capture_default_str();
  command->add_option(
      "--seeds", arguments->seeds,
      "trials to run: a number, as in 3, or a range of seeds, as in 2-3 (default: those of the "
      "budget); the table shows all runs there are");
  command
      ->add_option("--jobs", arguments->jobs,
                   "number of runs at the same time (default: one per core)")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--rows", arguments->rows,
                   "names of the rows to run (default: all); the table shows all runs there are")
      ->delimiter(',');
  command->add_option("--out", arguments->out, "folder for the runs")->capture_default_str();
  command->add_option("--records", arguments->records,
                      "also write the records of finished runs to this file");
  command->add_flag("--json", arguments->json, "print the table as JSON");
  command->callback([arguments, &context] { context.exit_code = reproduce(*arguments); });
}

}  // namespace adassl::cli
