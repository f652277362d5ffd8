#include "adassl/study/run.h"

#include <cstring>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <torch/version.h>
#include <unistd.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/model/encoder.h"
#include "adassl/records/run_records.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"
#include "adassl/study/evaluate.h"
#include "adassl/study/quarantine.h"
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

void write_page(const Experiment& experiment, const storage::RunDirectory& run,
                const Conduct& conduct, training::Log& log) {
  if (!conduct.write_page) return;
  training::when_there_is_room(experiment.observers.on_full_disk, log,
                               [&] { conduct.write_page(run.path()); });
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

/// Removes status.json at the end of its scope, even after an exception.
class StatusGone {
 public:
  explicit StatusGone(const storage::RunDirectory& run) : path_(run.status()) {}
  ~StatusGone() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  StatusGone(const StatusGone&) = delete;
  StatusGone& operator=(const StatusGone&) = delete;

 private:
  std::filesystem::path path_;
};

/// A batch is made of samples by their numbers, so other samples would make another run.
void require_same_samples(const training::Origin& origin, const data::Source& source,
                          const storage::RunDirectory& run) {
  const std::string change = change_since(origin.data, source);
  ADASSL_CHECK(change.empty(), "[", run.path().string(), "] ", change,
               "; restore them and resume again, or start a new run");
}

RunOutcome train_and_evaluate(Experiment& experiment, const storage::RunDirectory& run,
                              bool resumed, const Conduct& conduct) {
  training::Log log(run.log());
  const StatusGone status(run);
  State state(*experiment.method, experiment.optimizer, experiment.computation);
  const std::string computed_by = computer(experiment);
  if (resumed) {
    const auto loaded = training::load_newest_checkpoint(state, run.checkpoints(), experiment.hash,
                                                         [&](const auto& line) { log.warn(line); });
    if (loaded) require_same_samples(loaded->origin, *experiment.source, run);
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
  if (!resumed) {
    for (const std::string& line : remarks_on_split(*experiment.source)) log.warn(line);
  }
  auto metrics = std::make_shared<training::MetricsObserver>(
      experiment.observers, run, [&] { return probe(experiment); }, log);
  training::Origin origin;
  origin.config_hash = experiment.hash;
  origin.computed_by = computed_by;
  origin.data = data_text(*experiment.source);
  auto checkpoints = std::make_shared<training::CheckpointObserver>(
      experiment.observers, state, run.checkpoints(), origin, *metrics, log);
  auto progress = std::make_shared<training::ProgressObserver>(
      state.step, run, conduct.status_pause,
      training::StatusLine(screen(conduct), conduct.quiet ? -1 : STDOUT_FILENO));
  const auto milestones =
      std::make_shared<MilestoneObserver>(experiment, run, log, screen(conduct));
  const auto shown = std::make_shared<NeighboursObserver>(experiment, run, log);
  std::vector<std::shared_ptr<training::Observer>> observers = {metrics, progress, milestones,
                                                                shown, checkpoints};
  observers.insert(observers.end(), conduct.observers.begin(), conduct.observers.end());
  if (resumed) {
    milestones->evaluate_at(state.step);
    shown->record_at(state.step);
  }
  try {
    training::run_loop(experiment.loop, experiment.seed, *experiment.source, *experiment.method,
                       state, observers);
  } catch (const Failure& failure) {
    log.say(failure.what());
    metrics->on_end(state.step);
    progress->on_end(state.step);
    throw;
  }
  if (state.step < experiment.loop.steps) return {state.step, training::interrupted(), false};
  if (checkpoints->saved_step() != state.step) {
    throw Failure(join("[", run.checkpoints().string(), "] the last checkpoint, of step ",
                       state.step, ", could not be saved: see log.txt, then resume the run"));
  }
  try {
    training::when_there_is_room(experiment.observers.on_full_disk, log,
                                 [&] { save_encoder(experiment, run, state.step); });
    const records::Records made =
        evaluate_and_keep(experiment, run, state.step, records::kEvaluation, log, screen(conduct));
    if (made.empty()) return {state.step, training::interrupted(), false};
    tell_health(made, log, screen(conduct));
    write_page(experiment, run, conduct, log);
  } catch (const WriteError& error) {  // a signal ended the wait for disk space
    if (training::interrupted() == 0) throw;
    log.warn(error.what());
    return {state.step, training::interrupted(), false};
  }
  log.say("finished");
  return {state.step, 0, false};
}

/// As train_and_evaluate. A sample that is lost meanwhile ends the run, with a line that says how
/// to go on.
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

constexpr const char* kConfigMark = "# config.toml: ";

/// The content of given.toml: the configuration as the user gave it, and the hash of the resolved
/// one.
std::string given_text(const std::string& given, const Experiment& experiment) {
  return given + kConfigMark + experiment.hash + "\n";
}

/// Error when config.toml was edited since the run was created. Before the first checkpoint nothing
/// else would detect that.
void require_own_config(const storage::RunDirectory& run) {
  std::error_code code;
  if (!std::filesystem::exists(run.given(), code)) return;
  const std::string given = storage::read_file(run.given(), records::kLargestConfig);
  const size_t at = given.rfind(kConfigMark);
  if (at == std::string::npos) return;  // written by an older version
  const std::string expected = text::trim(given.substr(at + std::strlen(kConfigMark)));
  ADASSL_CHECK(expected == records::hash_of(run), "[", run.config().string(), "] was changed (",
               records::hash_of(run), ", was ", expected,
               "): a run is resumed with the configuration it was started with");
}

/// The experiment of a run. Its hash is that of the file config.toml, not that of the configuration
/// which this version of the program resolves from it: a new option must not make old runs
/// unusable. With overrides it is the hash of the changed configuration.
Experiment experiment_of(const storage::RunDirectory& run,
                         const std::vector<std::string>& overrides, const Tables& tables,
                         Begin begin) {
  require_own_config(run);
  Config config = Config::from_file(run.config());
  for (const std::string& assignment : overrides) config.override_with(assignment);
  Experiment experiment = build_experiment(std::move(config), tables, begin);
  restore_quarantine(run, *experiment.source);
  if (overrides.empty()) experiment.hash = records::hash_of(run);
  return experiment;
}

}  // namespace

RunOutcome start_run(Config config, const std::filesystem::path& directory,
                     const Conduct& conduct) {
  const std::string given = config.given();
  std::optional<training::NothingToSave> nothing_yet(training::kStoppedBeforeSteps);
  Experiment experiment = build_experiment(std::move(config), conduct.tables);
  training::require_memory(experiment.loop, *experiment.source, *experiment.method);
  nothing_yet.reset();
  const auto run = storage::RunDirectory::create(directory);
  storage::write_atomically(run.given(), given_text(given, experiment));
  write_quarantine(run, *experiment.source);
  storage::write_atomically(run.config(), experiment.resolved);
  return carry_out(experiment, run, /*resumed=*/false, conduct);
}

RunOutcome resume_run(const std::filesystem::path& directory, const Conduct& conduct) {
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kYes);
  std::vector<std::string> overrides;
  if (conduct.threads > 0) overrides.push_back(join("compute.threads=", conduct.threads));
  const bool started = training::has_checkpoint(run.checkpoints());
  std::optional<training::NothingToSave> nothing_new(training::kStoppedBeforeSteps);
  Experiment experiment =
      experiment_of(run, overrides, conduct.tables, started ? Begin::kRestored : Begin::kFresh);
  nothing_new.reset();
  experiment.hash = records::hash_of(run);  // the number of threads does not change it
  if (records::is_finished(run)) {
    training::Log log(run.log());
    if (!std::filesystem::exists(run.report())) write_page(experiment, run, conduct, log);
    return {experiment.loop.steps, 0, true};
  }
  return carry_out(experiment, run, /*resumed=*/true, conduct);
}

Trained load_run(const storage::RunDirectory& run, const std::vector<std::string>& overrides,
                 const Tables& tables) {
  Trained out{experiment_of(run, overrides, tables, Begin::kRestored), 0};
  State state(*out.experiment.method, out.experiment.optimizer, out.experiment.computation);
  const auto warn = [](const std::string& line) { std::cerr << "warning: " << line << "\n"; };
  const auto loaded =
      training::load_newest_checkpoint(state, run.checkpoints(), records::hash_of(run), warn);
  ADASSL_CHECK(loaded || state.parameters.slices.empty(), "[", run.path().string(),
               "] has no checkpoint yet");
  if (loaded) {
    const std::string change = change_since(loaded->origin.data, *out.experiment.source);
    if (!change.empty()) warn(join("[", run.path().string(), "] ", change));
  }
  out.step = state.step;
  return out;
}

records::Records evaluate_run(const std::filesystem::path& directory,
                              const std::vector<std::string>& overrides, const Tables& tables,
                              Weights weights) {
  for (const std::string& assignment : overrides) {
    ADASSL_CHECK(assignment.starts_with("evaluate.") || assignment.starts_with("compute."),
                 "[evaluate] expected overrides of evaluate.* or compute.*, got '", assignment,
                 "'");
  }
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kYes);
  const StatusGone status(run);
  const bool is_trained = weights == Weights::kTrained;
  const Trained loaded = is_trained
                             ? load_run(run, overrides, tables)
                             : Trained{experiment_of(run, overrides, tables, Begin::kRestored), 0};
  for (const std::string& line : loaded.experiment.fallbacks) std::cerr << line << "\n";
  const records::Records records =
      is_trained ? evaluate(loaded.experiment, run, loaded.step, records::kEvaluation, std::cerr)
                 : evaluate_untrained(loaded.experiment, run, std::cerr);
  try {
    storage::JsonLinesWriter writer(run.records());
    append(writer, records);
    writer.sync_or_throw();
  } catch (const WriteError& error) {
    std::cerr << "warning: " << error.what() << "; the results are only printed\n";
  }
  return records;
}

}  // namespace adassl::study
