#include "adassl/study/shown_neighbours.h"

#include <algorithm>
#include <optional>
#include <set>

#include "adassl/core/error.h"
#include "adassl/data/files.h"
#include "adassl/records/rule.h"
#include "adassl/records/run_records.h"
#include "adassl/study/nearest_samples.h"
#include "adassl/training/full_disk.h"

namespace adassl::study {
namespace {

using nlohmann::json;

constexpr int64_t kAmong = 2000;  // samples that are embedded
constexpr int64_t kOthers = 4;    // neighbours of each

/// The pictures of the user or of a named data set; null if the data are something else.
const data::Files* pictures_of(const Experiment& experiment) {
  const auto* files = dynamic_cast<const data::Files*>(experiment.source.get());
  const bool shown = files != nullptr && files->sample_set().pictures() > 0;
  return shown && experiment.evaluate.shown_samples > 0 ? files : nullptr;
}

/// `count` elements, spread evenly.
std::vector<int64_t> spread(const std::vector<int64_t>& all, int64_t count) {
  const auto there = static_cast<int64_t>(all.size());
  std::vector<int64_t> out;
  for (int64_t i = 0; i < std::min(count, there); ++i) {
    out.push_back(all[static_cast<size_t>(i * there / std::min(count, there))]);
  }
  return out;
}

bool is_step_to_show(int64_t step, int64_t steps) {
  return step == 0 || step == steps / 8 || step == steps / 2 || step == steps;
}

}  // namespace

ShownSamples choose_shown(const data::Split& split, int64_t count) {
  const std::vector<int64_t>& held_out = split.validation;
  const std::vector<int64_t> first(held_out.begin(),
                                   held_out.begin() + std::min(kAmong, std::ssize(held_out)));
  const std::vector<int64_t> more = spread(split.train, kAmong - std::ssize(first));
  ShownSamples out{spread(first.empty() ? more : first, count), first};
  out.among.insert(out.among.end(), more.begin(), more.end());
  std::ranges::sort(out.among);
  return out;
}

std::optional<records::Record> shown_neighbours(const Experiment& experiment, int64_t step) {
  const data::Files* files = pictures_of(experiment);
  if (files == nullptr) return std::nullopt;
  const auto [asked, among] = choose_shown(files->split(), experiment.evaluate.shown_samples);
  const SeenSamples samples{files->parts().samples, files->parts().plain, among};
  NearestOptions options{.queries = {}, .count = kOthers};
  for (const int64_t sample : asked) options.queries.push_back(samples.name(sample));
  const Restored model = model_of(experiment, step);
  nn::use_threads(*experiment.computation);
  json rows = json::array();
  for (const Nearest& one : nearest_samples(model, samples, options)) {
    json others = json::array();
    for (const auto& other : one.others) {
      others.push_back({{"name", samples.name(other.sample)}, {"similarity", other.similarity}});
    }
    rows.push_back({{"name", samples.name(one.sample)}, {"others", others}});
  }
  records::Record out{.kind = std::string(records::kNeighbours)};
  out.rest = {
      {"among", among.size()}, {"held_out", !files->split().validation.empty()}, {"samples", rows}};
  add_context(out, experiment, step);
  return out;
}

void NeighboursObserver::record_at(int64_t step) const {
  if (!is_step_to_show(step, experiment_.loop.steps) || pictures_of(experiment_) == nullptr) return;
  try {
    std::optional<storage::JsonLinesWriter> writer;
    training::when_there_is_room(experiment_.observers.on_full_disk, log_, [&] {
      const auto& own = experiment_.hash;
      const bool there = std::ranges::any_of(
          records::counting(records::read_records(run_), own), [&](const records::Record& record) {
            return record.kind == records::kNeighbours && record.step == step;
          });
      if (there && !writer) return;
      if (!writer) append(writer.emplace(run_.records()), {*shown_neighbours(experiment_, step)});
      writer->sync_or_throw();
    });
  } catch (const SystemError& error) {
    log_.warn(join(error.what(), "; no neighbours of step ", step));
  }
}

}  // namespace adassl::study
