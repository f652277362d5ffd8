#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/cli/commands.h"
#include "adassl/cli/sample_pages.h"
#include "adassl/report/change_page.h"
#include "adassl/storage/json_lines.h"
#include "adassl/study/controlled_samples.h"
#include "adassl/study/explain.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Arguments {
  std::string run, a, b, out;
  int64_t count = 6;
  int64_t pairs = 2000;
  bool json = false;
};

/// The explanation with its samples as they are seen.
report::ChangePage page_of(const study::Trained& trained, const Arguments& arguments,
                           const std::vector<evaluation::GroupOfR>& groups) {
  const study::Experiment& experiment = trained.experiment;
  const study::Explanation found =
      study::explain(trained, arguments.a, arguments.b, {arguments.count, arguments.pairs});
  const data::Files& files = study::files_of(experiment);
  const data::SampleSet& set = files.sample_set();
  std::vector<int64_t> samples;
  for (const auto& one : found.pairs) samples.insert(samples.end(), {one.pair.x, one.pair.x_plus});
  const Array seen = files.seen_plainly(samples);
  report::ChangePage out{found.r, found.cost, found.usual_cost, found.unit, {}, ""};
  int64_t row = 0;
  for (const auto& one : found.pairs) {
    out.pairs.push_back({report::cell_of(seen, row, set.name(one.pair.x), ""),
                         report::cell_of(seen, row + 1, set.name(one.pair.x_plus), ""),
                         one.distance});
    row += 2;
  }
  for (const auto& group : groups) out.groups.push_back({group.name, group.dims});
  out.about = fmt::format("{}, step {}; {} pairs of the training samples were compared",
                          experiment.method_name, trained.step, found.compared);
  return out;
}

ordered_json as_json(const report::ChangePage& page) {
  ordered_json out = {{"a", page.pairs[0].from.caption},
                      {"b", page.pairs[0].to.caption},
                      {"r", page.r},
                      {"cost", page.cost},
                      {"usual_cost", page.usual_cost},
                      {"unit", page.unit},
                      {"groups", ordered_json::array()},
                      {"alike", ordered_json::array()}};
  for (const auto& group : page.groups) {
    out["groups"].push_back({{"name", group.name}, {"dims", group.dims}});
  }
  for (size_t i = 1; i < page.pairs.size(); ++i) {
    out["alike"].push_back({{"c", page.pairs[i].from.caption},
                            {"d", page.pairs[i].to.caption},
                            {"distance", page.pairs[i].distance}});
  }
  return out;
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "explain");
  command->add_option("run", arguments->run, "run directory")->required();
  command->add_option("a", arguments->a, "the name of a sample of the run's data")->required();
  command->add_option("b", arguments->b, "another one")->required();
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
    const auto page =
        page_of(study::load_run(run, {}, context.tables), *arguments, study::recorded_groups(run));
    if (arguments->json) {
      std::cout << storage::json_text(as_json(page)) << "\n";
      return;
    }
    const fs::path path =
        (arguments->out.empty() ? run.path() : fs::path(arguments->out)) / "explain.html";
    write_sample_page(path, "What changed?", report::change_lead(page), report::change_body(page));
    std::cout << report::change_text(page) << "page: " << path.string() << "\n";
  });
}

}  // namespace adassl::cli
