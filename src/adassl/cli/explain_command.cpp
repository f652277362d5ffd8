#include <filesystem>
#include <iostream>
#include <memory>

#include "adassl/cli/commands.h"
#include "adassl/storage/json_lines.h"
#include "adassl/study/controlled_samples.h"
#include "adassl/study/explain.h"
#include "adassl/study/sample_pages.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string run, a, b, out;
  int64_t count = 6;
  int64_t pairs = 2000;
  bool json = false;
};

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "explain");
  command->add_option("run", arguments->run, "run directory")->required();
  command->add_option("first", arguments->a, "the name of a sample of the run's data")->required();
  command->add_option("second", arguments->b, "another one")->required();
  command->add_option("--count", arguments->count, "how many pairs with a similar change to show")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command->add_option("--pairs", arguments->pairs, "how many pairs to compare with")
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  command->add_option("--out", arguments->out, "folder for the page (default: the run's)");
  command->add_flag("--json", arguments->json, "one line, and no page");
  command->callback([arguments, &context] {
    const auto run = storage::RunDirectory::open(arguments->run, storage::RunDirectory::Lock::kNo);
    const report::ChangePage page =
        study::change_page(study::load_run(run, {}, context.tables), arguments->a, arguments->b,
                           {arguments->count, arguments->pairs}, study::recorded_groups(run));
    if (arguments->json) {
      std::cout << storage::json_text(report::change_json(page)) << "\n";
      return;
    }
    const fs::path path =
        (arguments->out.empty() ? run.path() : fs::path(arguments->out)) / "explain.html";
    study::write_sample_page(path, "What changed?", report::change_lead(page),
                             report::change_body(page));
    std::cout << report::change_text(page) << "page: " << path.string() << "\n";
  });
}

}  // namespace adassl::cli
