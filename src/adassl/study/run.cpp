#include "adassl/study/run.h"

#include <algorithm>
#include <cstring>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <torch/version.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/evaluation/probes.h"
#include "adassl/evaluation/regression.h"
#include "adassl/kernels/simd.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"
#include "adassl/storage/run_records.h"
#include "adassl/storage/run_status.h"
#include "adassl/training/checkpoint.h"
#include "adassl/training/full_disk.h"
#include "adassl/training/interrupt.h"

namespace adassl::study {
namespace {

using nlohmann::json;
using training::State;

/// Linear probes on a few thousand samples of their own, the same ones at every step: those that
/// the final evaluation will ask for too.
training::Terms probe(const Experiment& experiment) {
  const evaluation::Frozen frozen(*experiment.method);
  const evaluation::Subject subject{*experiment.method, *experiment.source, experiment.seed,
                                    "probe",
                                    /*watching=*/true};
  const int64_t samples = experiment.evaluate.probe_samples;
  const auto& suites = experiment.evaluate.suites;
  evaluation::Results results;
  if (std::find(suites.begin(), suites.end(), evaluation::Probes::kName) != suites.end()) {
    evaluation::Probes({.train_samples = samples, .test_samples = samples}).run(subject, results);
  } else {
    evaluation::Regression({samples, samples}).run(subject, results);
  }
  return {results.metrics.begin(), results.metrics.end()};
}

/// "reference", or "fused avx512".
std::string kernels_of(const Experiment& experiment) {
  const std::string& kind = experiment.compute.kernels;
  return kind == "fused" ? kind + " " + kernels::instruction_set() : kind;
}

/// What else the bits of a run depend on, besides its configuration.
std::string computer(const Experiment& experiment) {
  return fmt::format("adassl {} ({}), LibTorch {}, {}, {}", host::version(), host::commit(),
                     TORCH_VERSION, kernels_of(experiment), experiment.precision);
}

double training_seconds(const storage::RunDirectory& run) {
  double total = 0;
  if (!std::filesystem::exists(run.timing())) return 0;
  for (const json& line : storage::read_good_json_lines(run.timing())) {
    const json seconds = line.is_object() ? line.value("seconds", json()) : json();
    if (seconds.is_number()) total += seconds.get<double>();
  }
  return total;
}

/// What the record of an evaluation is called: made when asked or at the end, or on the way.
constexpr const char* kEvaluation = "evaluation";
constexpr const char* kMilestone = "milestone";

/// Runs the suites, telling before each, since some take minutes, and makes one record of the
/// numbers and, but for milestones, one of each picture. A signal stops it between two of them:
/// then there are none.
std::vector<json> evaluate(const Experiment& experiment, const storage::RunDirectory& run,
                           int64_t step, const std::string& kind, std::ostream& out) {
  const evaluation::Frozen frozen(*experiment.method);
  evaluation::Results results;
  const evaluation::Subject subject{*experiment.method, *experiment.source, experiment.seed};
  const size_t count = experiment.evaluations.size();
  for (size_t i = 0; i < count; ++i) {
    if (training::interrupted() != 0) return {};
    const std::string line =
        fmt::format("evaluating {}/{}: {}", i + 1, count, experiment.evaluate.suites[i]);
    storage::write_status(run.status(), {step, experiment.loop.steps, line});
    out << line << std::endl;
    const size_t before = results.size();
    experiment.evaluations[i]->run(subject, results);
    if (results.size() == before) {
      out << fmt::format("{}: no answer; data or method lack what it asks for",
                         experiment.evaluate.suites[i])
          << std::endl;
    }
  }
  if (training::interrupted() != 0) return {};
  if (const double seconds = training_seconds(run); seconds > 0) {
    results.metrics["wall_seconds"] = seconds;
  }
  const json context = {{"method", experiment.method_name},
                        {"seed", experiment.seed},
                        {"step", step},
                        {"config_hash", experiment.hash},
                        {"commit", host::commit()},
                        {"time", text::utc_now()},
                        {"host",
                         {{"cpu", host::cpu_name()},
                          {"threads", experiment.compute.threads},
                          {"kernels", kernels_of(experiment)},
                          {"precision", experiment.precision}}}};
  json main = {{"kind", kind},
               {"final", step == experiment.loop.steps},
               {"metrics", results.metrics},
               {"vectors", results.vectors}};
  main.update(context);
  std::vector<json> records{main};
  if (kind == kMilestone) results.records.clear();
  for (json& record : results.records) {
    record.update(context);
    records.push_back(record);
  }
  return records;
}

/// The metrics come last: if they are in the file, the pictures are too.
void append(storage::JsonLinesWriter& writer, const std::vector<json>& records) {
  for (auto record = records.rbegin(); record != records.rend(); ++record) writer.append(*record);
}

/// evaluate() for a run on its way: the records are appended once there is room for them.
std::vector<json> evaluate_and_keep(const Experiment& experiment, const storage::RunDirectory& run,
                                    int64_t step, const std::string& kind, training::Log& log) {
  std::optional<training::NothingToSave> all_is_saved;  // a signal need not wait for the evaluation
  if (kind == kEvaluation) all_is_saved.emplace();
  const std::vector<json> records = evaluate(experiment, run, step, kind, std::cout);
  all_is_saved.reset();
  if (records.empty()) return records;
  std::optional<storage::JsonLinesWriter> writer;
  training::when_there_is_room(experiment.observers.on_full_disk, log, [&] {
    if (!writer) append(writer.emplace(run.records()), records);
    writer->sync_or_throw();
  });
  return records;
}

/// Evaluates the run at the steps of evaluate.at, once each.
class MilestoneObserver final : public training::Observer {
 public:
  MilestoneObserver(const Experiment& experiment, const storage::RunDirectory& run,
                    training::Log& log)
      : experiment_(experiment), run_(run), log_(log) {}

  training::Flow on_step(const training::StepReport& report) override {
    evaluate_at(report.step);
    return training::Flow::kContinue;
  }

  /// Also for the step that a run is resumed at: a signal may have stopped its evaluation.
  void evaluate_at(int64_t step) const {
    const auto& at = experiment_.evaluate.at;
    if (step >= experiment_.loop.steps || std::ranges::find(at, step) == at.end()) return;
    try {
      if (!is_there(step)) evaluate_and_keep(experiment_, run_, step, kMilestone, log_);
    } catch (const SystemError& error) {
      log_.warn(join(error.what(), "; no milestone at step ", step));
    }
  }

 private:
  bool is_there(int64_t step) const {
    if (!std::filesystem::exists(run_.records())) return false;
    const auto records = storage::read_good_json_lines(run_.records());
    return std::ranges::any_of(records, [&](const json& record) {
      return record.is_object() && record.value("kind", json()) == kMilestone &&
             record.value("step", json()) == step &&
             record.value("config_hash", json()) == experiment_.hash;
    });
  }

  const Experiment& experiment_;
  const storage::RunDirectory& run_;
  training::Log& log_;
};

/// Cuts what was logged after the checkpoint, so that it can be written again. Metrics that are no
/// longer what the checkpoint knows cannot be restored; what is left of them stays.
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
      log.warn(join("[", path.string(), "] ", damaged, " lines were damaged, and are gone"));
    }
  }
}

void save_encoder(const Experiment& experiment, const storage::RunDirectory& run, int64_t step) {
  const auto encoder = experiment.method->encoder();
  training::save_weights(encoder ? *encoder : *experiment.method, run.encoder(),
                         {{"method", experiment.method_name},
                          {"step", std::to_string(step)},
                          {"config_hash", experiment.hash}});
}

/// Removes status.json when whoever writes it is done, however that ends.
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

RunOutcome train_and_evaluate(Experiment& experiment, const storage::RunDirectory& run,
                              bool resumed, double status_pause) {
  training::Log log(run.log());
  const StatusGone status(run);
  State state(*experiment.method, experiment.optimizer);
  const std::string computed_by = computer(experiment);
  if (resumed) {
    const auto loaded = training::load_newest_checkpoint(state, run.checkpoints(), experiment.hash,
                                                         [&](const auto& line) { log.warn(line); });
    rewind_logs(run, state.step, loaded ? loaded->origin.metrics : storage::Extent{}, log);
    log.say(fmt::format("resumed at step {} from {}", state.step,
                        loaded ? loaded->path.filename().string() : "the start: no checkpoint"));
    if (loaded && loaded->origin.computed_by != computed_by) {
      log.warn(
          fmt::format("up to step {} {} computed this run; from here on {} does, and the last "
                      "bits may differ",
                      state.step, loaded->origin.computed_by, computed_by));
    }
  }
  log.say(fmt::format("{}, seed {}, commit {}, {}, {} threads, {} kernels, {}",
                      experiment.method_name, experiment.seed, host::commit(), host::cpu_name(),
                      experiment.compute.threads, kernels_of(experiment), experiment.precision));
  for (const std::string& line : experiment.fallbacks) log.say(line);
  auto metrics = std::make_shared<training::MetricsObserver>(
      experiment.observers, run.metrics(), [&] { return probe(experiment); }, log);
  auto checkpoints = std::make_shared<training::CheckpointObserver>(
      experiment.observers, state, run.checkpoints(),
      training::Origin{experiment.hash, computed_by}, *metrics, log);
  auto progress =
      std::make_shared<training::ProgressObserver>(state.step, run, status_pause);
  const auto milestones = std::make_shared<MilestoneObserver>(experiment, run, log);
  if (resumed) milestones->evaluate_at(state.step);
  try {
    training::run_loop(experiment.loop, experiment.seed, *experiment.source, *experiment.method,
                       state, {metrics, progress, milestones, checkpoints});
  } catch (const Failure& failure) {
    log.say(failure.what());
    metrics->on_end(state.step);
    progress->on_end(state.step);
    throw;
  }
  if (state.step < experiment.loop.steps) return {state.step, training::interrupted(), false};
  if (checkpoints->saved_step() != state.step) {
    throw Failure(join("[", run.checkpoints().string(), "] the last checkpoint, of step ", state.step,
                       ", could not be saved: see log.txt, then resume the run"));
  }
  try {
    training::when_there_is_room(experiment.observers.on_full_disk, log,
                                 [&] { save_encoder(experiment, run, state.step); });
    if (evaluate_and_keep(experiment, run, state.step, kEvaluation, log).empty()) {
      return {state.step, training::interrupted(), false};
    }
  } catch (const WriteError& error) {  // a signal has ended the waiting for room
    if (training::interrupted() == 0) throw;
    log.warn(error.what());
    return {state.step, training::interrupted(), false};
  }
  log.say("finished");
  return {state.step, 0, false};
}

constexpr const char* kConfigMark = "# config.toml: ";

/// given.toml: what the user gave, and the hash of what became of it.
std::string given_text(const std::string& given, const Experiment& experiment) {
  return given + kConfigMark + experiment.hash + "\n";
}

/// Error when config.toml was edited since the run was created. Until the first checkpoint nothing
/// else would notice.
void require_own_config(const storage::RunDirectory& run) {
  std::error_code code;
  if (!std::filesystem::exists(run.given(), code)) return;
  const std::string given = storage::read_file(run.given(), storage::kLargestConfig);
  const size_t at = given.rfind(kConfigMark);
  if (at == std::string::npos) return;  // of an older version of the program
  const std::string expected = text::trim(given.substr(at + std::strlen(kConfigMark)));
  ADASSL_CHECK(expected == storage::hash_of(run), "[", run.config().string(), "] was changed (",
               storage::hash_of(run), ", was ", expected,
               "): a run is resumed with the configuration it was started with");
}

/// The experiment of a run. Its hash is that of the file, not of what this version of the program
/// would resolve it to: a new option must not orphan old runs. With overrides it is another one.
Experiment experiment_of(const storage::RunDirectory& run,
                         const std::vector<std::string>& overrides) {
  require_own_config(run);
  Config config = Config::from_file(run.config());
  for (const std::string& assignment : overrides) config.override_with(assignment);
  Experiment experiment = build_experiment(std::move(config));
  if (overrides.empty()) experiment.hash = storage::hash_of(run);
  return experiment;
}

}  // namespace

RunOutcome start_run(Config config, const std::filesystem::path& directory, double status_pause) {
  const std::string given = config.given();
  Experiment experiment = build_experiment(std::move(config));
  training::require_memory(experiment.loop, *experiment.source, *experiment.method);
  const auto run = storage::RunDirectory::create(directory);
  storage::write_atomically(run.given(), given_text(given, experiment));
  storage::write_atomically(run.config(), experiment.resolved);
  return train_and_evaluate(experiment, run, /*resumed=*/false, status_pause);
}

RunOutcome resume_run(const std::filesystem::path& directory, double status_pause,
                      int64_t threads) {
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kYes);
  std::vector<std::string> overrides;
  if (threads > 0) overrides.push_back(join("compute.threads=", threads));
  Experiment experiment = experiment_of(run, overrides);
  experiment.hash = storage::hash_of(run);  // the same run, whoever computes it
  if (storage::is_finished(run)) return {experiment.loop.steps, 0, true};
  return train_and_evaluate(experiment, run, /*resumed=*/true, status_pause);
}

Trained load_run(const storage::RunDirectory& run, const std::vector<std::string>& overrides) {
  Trained out{experiment_of(run, overrides), 0};
  State state(*out.experiment.method, out.experiment.optimizer);
  const auto path = training::load_newest_checkpoint(
      state, run.checkpoints(), storage::hash_of(run),
      [](const std::string& line) { std::cerr << "warning: " << line << "\n"; });
  ADASSL_CHECK(path || state.parameters.slices.empty(), "[", run.path().string(),
               "] has no checkpoint yet");
  out.step = state.step;
  return out;
}

std::vector<json> evaluate_run(const std::filesystem::path& directory,
                               const std::vector<std::string>& overrides) {
  for (const std::string& assignment : overrides) {
    ADASSL_CHECK(assignment.starts_with("evaluate.") || assignment.starts_with("compute."),
                 "[evaluate] expected overrides of evaluate.* or compute.*, got '", assignment,
                 "'");
  }
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kYes);
  const StatusGone status(run);
  const Trained trained = load_run(run, overrides);
  for (const std::string& line : trained.experiment.fallbacks) std::cerr << line << "\n";
  const std::vector<json> records =
      evaluate(trained.experiment, run, trained.step, kEvaluation, std::cerr);
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
