#include "adassl/study/explain.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/data/order.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/evaluation/inferred_r.h"
#include "adassl/nn/tensors.h"
#include "adassl/study/sample_named.h"

namespace adassl::study {
namespace {

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
                            const random::Stream& noise, const data::Prefetch& prefetch) {
  constexpr int64_t kBlock = 256;  // pairs whose pictures are in memory at once
  const auto start = [&](int64_t number) {
    const auto begin = pairs.begin() + number * kBlock;
    const auto end = begin + std::min(kBlock, pairs.end() - begin);
    std::vector<int64_t> samples;  // each x, then each x+
    for (auto pair = begin; pair != end; ++pair) samples.push_back(pair->x);
    for (auto pair = begin; pair != end; ++pair) samples.push_back(pair->x_plus);
    return data::job_of_seeing(files.sample_set(), *files.parts().plain, std::move(samples));
  };
  evaluation::InferredR out;
  std::vector<Tensor> r, cost;
  const int64_t blocks = (std::ssize(pairs) + kBlock - 1) / kBlock;
  data::Ahead<Array> ahead(start, blocks, prefetch);
  for (int64_t number = 0; number < blocks; ++number) {
    const Array both = ahead.take(number);
    const auto halves = nn::view(both).chunk(2);
    out = evaluation::infer_r(method, halves[0], halves[1], draws,
                              noise.named(std::to_string(number * kBlock)));
    r.push_back(out.r);
    cost.push_back(out.cost);
  }
  out.r = torch::cat(r);
  out.cost = torch::cat(cost);
  return out;
}

std::string unit_of(model::Cost cost) {
  if (cost == model::Cost::kNats) return "nats";
  return cost == model::Cost::kGates ? "probability of an open gate" : "none";
}

/// The pair that was asked about, then the others by the distance of their changes.
std::vector<Explanation::Alike> most_alike(const data::Pair& asked,
                                           const std::vector<data::Pair>& pairs,
                                           const std::vector<double>& distances, int64_t most) {
  std::vector<size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return distances[i]; });
  std::vector<Explanation::Alike> out = {{asked, 0}};
  for (const size_t i : order) {
    if (static_cast<int64_t>(out.size()) > most) break;
    if (pairs[i].x == asked.x && pairs[i].x_plus == asked.x_plus) continue;
    out.push_back({pairs[i], distances[i]});
  }
  return out;
}

}  // namespace

const data::Files& files_of(const Experiment& experiment) {
  const auto* files = dynamic_cast<const data::Files*>(experiment.source.get());
  ADASSL_CHECK(files != nullptr,
               "[explain] expected a run that was trained on files (data.kind = \"files\")");
  return *files;
}

Explanation explain(const Trained& trained, const std::string& a, const std::string& b,
                    const ExplainOptions& options) {
  constexpr int64_t kDrawsOfOthers = 4, kDrawsOfAsked = 64;  // of the noise, averaged
  const Experiment& experiment = trained.experiment;
  const data::Files& files = files_of(experiment);
  const auto* predicts = model::offers<model::Predicts>(*experiment.method);
  ADASSL_CHECK(predicts != nullptr && predicts->r_width() > 0, "[explain] the method ",
               experiment.method_name, " has no r; train with method=adassl-v or adassl-s");
  auto& infers = evaluation::require<model::InfersR>(*experiment.method);
  const evaluation::Frozen frozen(*experiment.method);
  const auto named = [&](const std::string& name) {
    return sample_named(files.sample_set(), files.unusable(), name, "explain");
  };
  const data::Pair asked{named(a), named(b)};
  const random::Stream noise(experiment.seed, "explain/noise");
  const auto pairs = some_pairs(files, options.pairs, experiment.seed);
  const data::Prefetch prefetch = prefetch_of(experiment.loop);
  const auto known = infer(infers, files, pairs, kDrawsOfOthers, noise.named("pairs"), prefetch);
  const auto one = infer(infers, files, {asked}, kDrawsOfAsked, noise.named("asked"), prefetch);
  const Tensor deviation = known.r.std(0, /*unbiased=*/false);
  const Tensor scale = torch::where(deviation > 0, 1 / deviation, torch::zeros_like(deviation));
  Explanation out;
  out.unit = unit_of(one.unit);
  out.r = nn::doubles((one.r[0] - known.r.mean(0)) * scale);
  out.cost = nn::doubles(one.cost[0]);
  out.usual_cost = nn::doubles(known.cost.mean(0));
  const auto distances = nn::doubles(evaluation::distance_of_changes(known.r, one.r[0]));
  out.pairs = most_alike(asked, pairs, distances, options.alike);
  out.compared = static_cast<int64_t>(pairs.size());
  return out;
}

report::ChangePage change_page(const Trained& trained, const std::string& a, const std::string& b,
                               const ExplainOptions& options,
                               const std::vector<evaluation::GroupOfR>& groups) {
  const Explanation found = explain(trained, a, b, options);
  const data::Files& files = files_of(trained.experiment);
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
                          trained.experiment.method_name, trained.step, found.compared);
  return out;
}

}  // namespace adassl::study
