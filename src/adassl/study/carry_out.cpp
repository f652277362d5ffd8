#include "adassl/study/carry_out.h"

#include <iostream>

#include <fmt/format.h>
#include <torch/version.h>
#include <unistd.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/model/encoder.h"
#include "adassl/storage/json_lines.h"
#include "adassl/study/evaluate.h"
#include "adassl/study/restore.h"
#include "adassl/study/sample_list.h"
#include "adassl/study/shown_neighbours.h"
#include "adassl/training/checkpoint.h"
#include "adassl/training/full_disk.h"
#include "adassl/training/interrupt.h"
#include "adassl/training/observers.h"

namespace adassl::study {
namespace {

using nlohmann::json;
using training::State;

/// What the exact results of a run depend on besides its configuration.
std::string computer(const Experiment& experiment) {
  return fmt::format("adassl {} ({}), LibTorch {}, {}, {}", host::version(), host::commit(),
                     TORCH_VERSION, kernels_of(experiment), experiment.precision);
}

/// Removes the lines that were logged after the checkpoint; training writes them again. If
/// metrics.jsonl no longer begins with the bytes that the checkpoint knows, its lost lines cannot
/// be restored, and the valid lines up to this step stay.
void rewind_logs(const storage::RunDirectory& run, int64_t step, const storage::Extent& metrics,
                 training::Log& log) {
  const bool whole = storage::cut_to(run.metrics(), metrics);
  if (!whole) {
    log.warn(join("[", run.metrics().string(), "] is not what it was at step ", step,
                  ": lines up to there are missing or changed and stay so; to compute them again, "
                  "remove the checkpoints and resume"));
  }
  const auto keep = [&](const json& line) {
    const json* at = line.is_object() && line.contains("step") ? &line["step"] : nullptr;
    return at != nullptr && at->is_number() && at->get<double>() <= static_cast<double>(step);
  };
  for (const auto& path : {run.metrics(), run.timing()}) {
    if (whole && path == run.metrics()) continue;
    if (const size_t damaged = storage::keep_lines(path, keep); damaged > 0) {
      log.warn(join("[", path.string(), "] ", damaged, " damaged lines were removed"));
    }
  }
}

void save_encoder(const Experiment& experiment, const storage::RunDirectory& run, int64_t step) {
  const auto encoder = experiment.method->encoder();
  std::map<std::string, std::string> metadata = {{"method", experiment.method_name},
                                                 {"step", std::to_string(step)},
                                                 {"config_hash", experiment.hash}};
  if (const auto known = std::dynamic_pointer_cast<model::Encoder>(encoder)) {
    metadata.merge(known->facts());
  }
  training::save_weights(encoder ? *encoder : *experiment.method, run.encoder(), metadata);
}

/// Where a run shows its progress; nowhere if it is quiet.
std::ostream& screen(const Conduct& conduct) {
  static std::ostream nowhere(nullptr);
  return conduct.quiet ? nowhere : std::cout;
}

/// Says whether the run has learnt. What is wrong is a warning, which is also shown if it is quiet.
void tell_health(const records::Records& records, training::Log& log, std::ostream& out) {
  for (const records::Record& record : records) {
    if (record.kind != records::kHealth) continue;
    const bool well = record.rest.at("well").get<bool>();
    for (const json& sentence : record.rest.at("says")) {
      const auto text = sentence.get<std::string>();
      if (!well) {
        log.warn(text);
        continue;
      }
      log.say(text);
      out << text << std::endl;
    }
  }
}

/// A batch is made of samples by their numbers, so other samples would make another run.
void require_same_samples(const training::Origin& origin, const data::Source& source,
                          const storage::RunDirectory& run) {
  const std::string change = change_since(origin.data, source);
  ADASSL_CHECK(change.empty(), "[", run.path().string(), "] ", change,
               "; restore them and resume again, or start a new run");
}

/// Brings the run to its newest intact checkpoint, and its logs with it.
void restore(State& state, const Experiment& experiment, const storage::RunDirectory& run,
             const std::string& computed_by, training::Log& log) {
  const auto loaded = training::load_newest_checkpoint(state, run.checkpoints(), experiment.hash,
                                                       [&](const auto& line) { log.warn(line); });
  if (loaded) {
    require_same_samples(loaded->origin, *experiment.source, run);
    const std::string doubt = doubt_since(loaded->origin.data, *experiment.source);
    if (!doubt.empty()) log.warn(doubt);
  }
  rewind_logs(run, state.step, loaded ? loaded->origin.metrics : storage::Extent{}, log);
  log.say(fmt::format("resumed at step {} from {}", state.step,
                      loaded ? loaded->path.filename().string() : "the start: no checkpoint"));
  if (loaded && loaded->origin.computed_by != computed_by) {
    log.warn(
        fmt::format("up to step {}, {} computed this run; from here on {} does, and the "
                    "last bits may differ",
                    state.step, loaded->origin.computed_by, computed_by));
  }
}

/// Says in the log what is about to be trained, and what a user should know of it.
void announce(const Experiment& experiment, bool resumed, training::Log& log) {
  log.say(fmt::format("{}, seed {}, commit {}, {}, {} threads, {} kernels, {}",
                      experiment.method_name, experiment.seed, host::commit(), host::cpu_name(),
                      experiment.compute.threads, kernels_of(experiment), experiment.precision));
  for (const std::string& line : experiment.fallbacks) log.say(line);
  for (const std::string& line : experiment.method->notes()) {
    constexpr std::string_view kWarning = "warning: ";
    if (line.starts_with(kWarning)) {
      log.warn(line.substr(kWarning.size()));
    } else {
      log.say(line);
    }
  }
  if (resumed) return;
  for (const std::string& line : remarks_on(*experiment.source, experiment.loop.batch)) {
    log.warn(line);
  }
}

/// Who watches the training of a run, in the order in which they are told of a step. The checkpoint
/// comes after everything that it has to find on the disk.
struct Watchers {
  std::shared_ptr<training::MetricsObserver> metrics;
  std::shared_ptr<training::ProgressObserver> progress;
  std::shared_ptr<MilestoneObserver> milestones;
  std::shared_ptr<NeighboursObserver> shown;
  std::shared_ptr<training::CheckpointObserver> checkpoints;

  std::vector<std::shared_ptr<training::Observer>> all() const {
    return {metrics, progress, milestones, shown, checkpoints};
  }
};

Watchers watchers_of(const Experiment& experiment, const storage::RunDirectory& run, State& state,
                     const std::string& computed_by, const Conduct& conduct, training::Log& log) {
  Watchers out;
  out.metrics = std::make_shared<training::MetricsObserver>(
      experiment.observers, run, [&] { return probe(experiment); }, log);
  training::Origin origin;
  origin.config_hash = experiment.hash;
  origin.computed_by = computed_by;
  origin.data = data_text(*experiment.source);
  out.checkpoints = std::make_shared<training::CheckpointObserver>(
      experiment.observers, state, run.checkpoints(), origin, *out.metrics, log);
  out.progress = std::make_shared<training::ProgressObserver>(
      state.step, run, conduct.status_pause,
      training::StatusLine(screen(conduct), conduct.quiet ? -1 : STDOUT_FILENO));
  out.milestones = std::make_shared<MilestoneObserver>(experiment, run, log, screen(conduct));
  out.shown = std::make_shared<NeighboursObserver>(experiment, run, log);
  return out;
}

/// Trains to the last step, or until a signal.
void train(Experiment& experiment, State& state, const Watchers& watchers, const Conduct& conduct,
           training::Log& log) {
  std::vector<std::shared_ptr<training::Observer>> observers = watchers.all();
  observers.insert(observers.end(), conduct.observers.begin(), conduct.observers.end());
  try {
    training::run_loop(experiment.loop, experiment.seed, *experiment.source, *experiment.method,
                       state, observers);
  } catch (const Failure& failure) {
    log.say(failure.what());
    watchers.metrics->on_end(state.step);
    watchers.progress->on_end(state.step);
    throw;
  }
}

/// Evaluates a trained run, and writes its weights and its page.
RunOutcome finish(const Experiment& experiment, const storage::RunDirectory& run, int64_t step,
                  const Conduct& conduct, training::Log& log) {
  try {
    training::when_there_is_room(experiment.observers.on_full_disk, log,
                                 [&] { save_encoder(experiment, run, step); });
    const records::Records made =
        evaluate_and_keep(experiment, run, step, records::kEvaluation, log, screen(conduct));
    if (made.empty()) return {step, training::interrupted(), false};
    tell_health(made, log, screen(conduct));
    write_page(experiment, run, conduct, log);
  } catch (const WriteError& error) {  // a signal ended the wait for disk space
    if (training::interrupted() == 0) throw;
    log.warn(error.what());
    return {step, training::interrupted(), false};
  }
  log.say("finished");
  return {step, 0, false};
}

RunOutcome train_and_evaluate(Experiment& experiment, const storage::RunDirectory& run,
                              bool resumed, const Conduct& conduct) {
  training::Log log(run.log());
  const StatusGone status(run);
  State state(*experiment.method, experiment.optimizer, experiment.computation);
  const std::string computed_by = computer(experiment);
  if (resumed) restore(state, experiment, run, computed_by, log);
  announce(experiment, resumed, log);
  const Watchers watchers = watchers_of(experiment, run, state, computed_by, conduct, log);
  if (resumed) {
    watchers.milestones->evaluate_at(state.step);
    watchers.shown->record_at(state.step);
  }
  train(experiment, state, watchers, conduct, log);
  if (state.step < experiment.loop.steps) return {state.step, training::interrupted(), false};
  if (watchers.checkpoints->saved_step() != state.step) {
    throw Failure(join("[", run.checkpoints().string(), "] the last checkpoint, of step ",
                       state.step, ", could not be saved: see log.txt, then resume the run"));
  }
  return finish(experiment, run, state.step, conduct, log);
}

}  // namespace

void write_page(const Experiment& experiment, const storage::RunDirectory& run,
                const Conduct& conduct, training::Log& log) {
  if (!conduct.write_page) return;
  training::when_there_is_room(experiment.observers.on_full_disk, log,
                               [&] { conduct.write_page(run.path()); });
}

RunOutcome carry_out(Experiment& experiment, const storage::RunDirectory& run, bool resumed,
                     const Conduct& conduct) {
  try {
    return train_and_evaluate(experiment, run, resumed, conduct);
  } catch (const data::LostSample& lost) {
    const std::string line =
        join(lost.what(), "; it could be read when the run began. The run is kept: once the file ",
             "is back as it was, continue with: adassl resume ", run.path().string(),
             " (docs/OWN_DATA.md says how to go on without it)");
    training::Log(run.log()).say(line);
    throw Error(line);
  }
}

}  // namespace adassl::study
