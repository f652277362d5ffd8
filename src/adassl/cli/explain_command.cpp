#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/cli/commands.h"
#include "adassl/cli/sample_pages.h"
#include "adassl/core/error.h"
#include "adassl/data/files.h"
#include "adassl/data/order.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/evaluation/inferred_r.h"
#include "adassl/nn/tensors.h"
#include "adassl/report/change_page.h"
#include "adassl/study/run.h"

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

/// The number of the sample that somebody named: its name, or for "row 17" also 17.
int64_t sample_of(const data::SampleSet& samples, const std::string& name) {
  for (int64_t i = 0; i < samples.count(); ++i) {
    const std::string known = samples.name(i);
    if (known == name || known == "row " + name) return i;
  }
  throw Error(join("[explain] expected the name of one of the ", samples.count(),
                   " samples of the run, such as '", samples.name(0), "', got '", name, "'"));
}

/// Pairs of the training samples, each at most once.
std::vector<data::Pair> some_pairs(const data::Files& files, int64_t most, uint64_t seed) {
  const random::Stream stream(seed, "explain/pairs");
  const int64_t there = files.pairing().count();
  const data::KeyedPermutation shuffled(there, stream.named("order"));
  std::vector<data::Pair> out;
  for (int64_t i = 0; i < std::min(most, there); ++i) {
    random::Sequence draws = stream.at(static_cast<uint32_t>(i));
    out.push_back(files.pairing().pair(shuffled(i), draws));
  }
  return out;
}

evaluation::InferredR infer(model::InfersR& method, const data::Files& files,
                            const std::vector<data::Pair>& pairs, int64_t draws,
                            const random::Stream& noise) {
  constexpr size_t kBlock = 256;  // pairs whose pictures are in memory at once
  evaluation::InferredR out;
  std::vector<Tensor> r, cost;
  for (size_t first = 0; first < pairs.size(); first += kBlock) {
    std::vector<int64_t> from, to;
    for (size_t i = first; i < std::min(first + kBlock, pairs.size()); ++i) {
      from.push_back(pairs[i].x);
      to.push_back(pairs[i].x_plus);
    }
    const Array x = files.seen_plainly(from);
    const Array x_plus = files.seen_plainly(to);
    out = evaluation::infer_r(method, nn::view(x), nn::view(x_plus), draws,
                              noise.named(std::to_string(first)));
    r.push_back(out.r);
    cost.push_back(out.cost);
  }
  out.r = torch::cat(r);
  out.cost = torch::cat(cost);
  return out;
}

std::vector<double> values_of(const Tensor& vector) {
  const Tensor plain = vector.to(torch::kFloat64).contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

std::string unit_of(model::Cost cost) {
  if (cost == model::Cost::kNats) return "nats";
  return cost == model::Cost::kGates ? "probability of an open gate" : "none";
}

report::ChangePage explain(const study::Trained& trained, const Arguments& arguments) {
  const study::Experiment& experiment = trained.experiment;
  const auto* files = dynamic_cast<const data::Files*>(experiment.source.get());
  ADASSL_CHECK(files != nullptr,
               "[explain] expected a run that was trained on files (data.kind = \"files\")");
  const auto* predicts = model::offers<model::Predicts>(*experiment.method);
  ADASSL_CHECK(predicts != nullptr && predicts->r_width() > 0, "[explain] the method ",
               experiment.method_name, " has no r; train with method=adassl-v or adassl-s");
  auto& infers = evaluation::require<model::InfersR>(*experiment.method);
  const evaluation::Frozen frozen(*experiment.method);
  const data::SampleSet& set = files->sample_set();
  const data::Pair asked{sample_of(set, arguments.a), sample_of(set, arguments.b)};
  const random::Stream noise(experiment.seed, "explain/noise");
  const auto pairs = some_pairs(*files, arguments.pairs, experiment.seed);
  const auto known = infer(infers, *files, pairs, 4, noise.named("pairs"));
  const auto one = infer(infers, *files, {asked}, 64, noise.named("asked"));
  const Tensor deviation = known.r.std(0, /*unbiased=*/false);
  const Tensor scale = torch::where(deviation > 0, 1 / deviation, torch::zeros_like(deviation));
  report::ChangePage out;
  out.unit = unit_of(one.unit);
  out.r = values_of((one.r[0] - known.r.mean(0)) * scale);
  out.cost = values_of(one.cost[0]);
  out.usual_cost = values_of(known.cost.mean(0));
  const std::vector<double> distances =
      values_of(evaluation::distance_of_changes(known.r, one.r[0]));
  std::vector<size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return distances[i]; });
  std::vector<data::Pair> shown = {asked};
  std::vector<double> shown_distances = {0};
  for (const size_t i : order) {
    if (static_cast<int64_t>(shown.size()) > arguments.count) break;
    if (pairs[i].x == asked.x && pairs[i].x_plus == asked.x_plus) continue;
    shown.push_back(pairs[i]);
    shown_distances.push_back(distances[i]);
  }
  std::vector<int64_t> samples;
  for (const data::Pair& pair : shown) samples.insert(samples.end(), {pair.x, pair.x_plus});
  const Array seen = files->seen_plainly(samples);
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto row = static_cast<int64_t>(2 * i);
    out.pairs.push_back({report::cell_of(seen, row, set.name(shown[i].x), ""),
                         report::cell_of(seen, row + 1, set.name(shown[i].x_plus), ""),
                         shown_distances[i]});
  }
  out.about = fmt::format("{}, step {}; {} pairs of the training samples were compared",
                          experiment.method_name, trained.step, pairs.size());
  return out;
}

ordered_json as_json(const report::ChangePage& page) {
  ordered_json out = {{"a", page.pairs[0].from.caption},
                      {"b", page.pairs[0].to.caption},
                      {"r", page.r},
                      {"cost", page.cost},
                      {"usual_cost", page.usual_cost},
                      {"unit", page.unit},
                      {"alike", ordered_json::array()}};
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
    const auto page = explain(study::load_run(run, {}, context.tables), *arguments);
    if (arguments->json) {
      std::cout << as_json(page).dump() << "\n";
      return;
    }
    const fs::path path =
        (arguments->out.empty() ? run.path() : fs::path(arguments->out)) / "explain.html";
    write_sample_page(path, "What changed?", report::change_lead(page), report::change_body(page));
    std::cout << report::change_text(page) << "page: " << path.string() << "\n";
  });
}

}  // namespace adassl::cli
