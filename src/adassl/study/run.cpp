#include "adassl/study/run.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/hash.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/evaluation/probes.h"
#include "adassl/evaluation/regression.h"
#include "adassl/kernels/simd.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"
#include "adassl/training/checkpoint.h"
#include "adassl/training/interrupt.h"

namespace adassl::study {
namespace {

using nlohmann::json;
using training::State;

constexpr uintmax_t kLargestConfig = 4 << 20;

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

/// Runs the suites, telling before each, since some take minutes, and appends one record for the
/// numbers and, but for milestones, one for each picture. A signal stops it between two of them:
/// then there are none.
std::vector<json> evaluate(const Experiment& experiment, const storage::RunDirectory& run,
                           int64_t step, std::ostream& out, const std::string& kind = kEvaluation) {
  const evaluation::Frozen frozen(*experiment.method);
  evaluation::Results results;
  const evaluation::Subject subject{*experiment.method, *experiment.source, experiment.seed};
  const size_t count = experiment.evaluations.size();
  for (size_t i = 0; i < count; ++i) {
    if (training::interrupted() != 0) return {};
    out << fmt::format("evaluating {}/{}: {}", i + 1, count, experiment.evaluate.suites[i])
        << std::endl;
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
  storage::JsonLinesWriter writer(run.records());
  for (const json& record : records) writer.append(record);
  ADASSL_CHECK(writer.sync(), writer.last_error());
  return records;
}

/// Evaluates the run at the steps of evaluate.at, once each.
class MilestoneObserver final : public training::Observer {
 public:
  MilestoneObserver(const Experiment& experiment, const storage::RunDirectory& run)
      : experiment_(experiment), run_(run) {}

  training::Flow on_step(const training::StepReport& report) override {
    evaluate_at(report.step);
    return training::Flow::kContinue;
  }

  /// Also for the step that a run is resumed at: a signal may have stopped its evaluation.
  void evaluate_at(int64_t step) const {
    const auto& at = experiment_.evaluate.at;
    if (step >= experiment_.loop.steps || std::ranges::find(at, step) == at.end()) return;
    if (!is_there(step)) evaluate(experiment_, run_, step, std::cout, kMilestone);
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
};

/// Cuts what was logged after the checkpoint, so that it can be written again.
void rewind_logs(const storage::RunDirectory& run, int64_t step, training::Log& log) {
  const auto keep = [&](const json& line) {
    const json* at = line.is_object() && line.contains("step") ? &line["step"] : nullptr;
    return at != nullptr && at->is_number() && at->get<double>() <= static_cast<double>(step);
  };
  for (const auto& path : {run.metrics(), run.timing()}) {
    if (const size_t damaged = storage::keep_lines(path, keep); damaged > 0) {
      log.warn(join("[", path.string(), "] ", damaged, " lines were damaged, and are gone"));
    }
  }
}

RunOutcome train_and_evaluate(Experiment& experiment, const storage::RunDirectory& run,
                              bool resumed, double status_pause) {
  training::Log log(run.log());
  State state(*experiment.method, experiment.optimizer);
  if (resumed) {
    const auto path = training::load_newest_checkpoint(state, run.checkpoints(), experiment.hash,
                                                       [&](const auto& line) { log.warn(line); });
    rewind_logs(run, state.step, log);
    log.say(fmt::format("resumed at step {} from {}", state.step,
                        path ? path->filename().string() : "the start: no checkpoint"));
  }
  log.say(fmt::format("{}, seed {}, commit {}, {}, {} threads, {} kernels, {}",
                      experiment.method_name, experiment.seed, host::commit(), host::cpu_name(),
                      experiment.compute.threads, kernels_of(experiment), experiment.precision));
  for (const std::string& line : experiment.fallbacks) log.say(line);
  auto metrics = std::make_shared<training::MetricsObserver>(
      experiment.observers, run.metrics(), [&] { return probe(experiment); }, log);
  auto checkpoints = std::make_shared<training::CheckpointObserver>(
      experiment.observers, state, run.checkpoints(), experiment.hash, *metrics, log);
  auto progress =
      std::make_shared<training::ProgressObserver>(state.step, run.timing(), status_pause);
  const auto milestones = std::make_shared<MilestoneObserver>(experiment, run);
  if (resumed) milestones->evaluate_at(state.step);
  try {
    training::run_loop(experiment.loop, experiment.seed, *experiment.source, *experiment.method,
                       state, {metrics, progress, milestones, checkpoints});
  } catch (const Failure& failure) {
    log.say(failure.what());
    metrics->sync();
    progress->on_end(state.step);
    throw;
  }
  if (state.step < experiment.loop.steps) return {state.step, training::interrupted(), false};
  const auto encoder = experiment.method->encoder();
  training::save_weights(encoder ? *encoder : *experiment.method, run.encoder(),
                         {{"method", experiment.method_name},
                          {"step", std::to_string(state.step)},
                          {"config_hash", experiment.hash}});
  if (evaluate(experiment, run, state.step, std::cout).empty()) {
    log.say(fmt::format("signal {}: the evaluation was stopped", training::interrupted()));
    return {state.step, training::interrupted(), false};
  }
  log.say("finished");
  return {state.step, 0, false};
}

/// The experiment of a run. Its hash is that of the file, not of what this version of the program
/// would resolve it to: a new option must not orphan old runs. With overrides it is another one.
Experiment experiment_of(const storage::RunDirectory& run,
                         const std::vector<std::string>& overrides) {
  Config config = Config::from_file(run.config());
  for (const std::string& assignment : overrides) config.override_with(assignment);
  Experiment experiment = build_experiment(std::move(config));
  if (overrides.empty()) experiment.hash = hash_of(run);
  return experiment;
}

}  // namespace

RunOutcome start_run(Config config, const std::filesystem::path& directory, double status_pause) {
  const std::string given = config.given();
  Experiment experiment = build_experiment(std::move(config));
  training::require_memory(experiment.loop, *experiment.source, *experiment.method);
  const auto run = storage::RunDirectory::create(directory);
  storage::write_atomically(run.given(), given);
  storage::write_atomically(run.config(), experiment.resolved);
  return train_and_evaluate(experiment, run, /*resumed=*/false, status_pause);
}

RunOutcome resume_run(const std::filesystem::path& directory, double status_pause,
                      int64_t threads) {
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kYes);
  std::vector<std::string> overrides;
  if (threads > 0) overrides.push_back(join("compute.threads=", threads));
  Experiment experiment = experiment_of(run, overrides);
  experiment.hash = hash_of(run);  // the same run, whoever computes it
  if (is_finished(run)) return {experiment.loop.steps, 0, true};
  return train_and_evaluate(experiment, run, /*resumed=*/true, status_pause);
}

Trained load_run(const storage::RunDirectory& run, const std::vector<std::string>& overrides) {
  Trained out{experiment_of(run, overrides), 0};
  State state(*out.experiment.method, out.experiment.optimizer);
  const auto path = training::load_newest_checkpoint(
      state, run.checkpoints(), hash_of(run),
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
  const Trained trained = load_run(run, overrides);
  for (const std::string& line : trained.experiment.fallbacks) std::cerr << line << "\n";
  return evaluate(trained.experiment, run, trained.step, std::cerr);
}

std::string hash_of(const storage::RunDirectory& run) {
  return text::hex(hash(storage::read_file(run.config(), kLargestConfig)));
}

namespace {

/// What a record holds under these keys is used without asking again.
bool is_well_formed(const json& record) {
  if (!record.is_object() || !record.contains("kind") || !record["kind"].is_string()) return false;
  const auto missing_or = [&](const char* key, bool (json::*is)() const noexcept) {
    return !record.contains(key) || (record[key].*is)();
  };
  return missing_or("config_hash", &json::is_string) &&
         missing_or("step", &json::is_number_integer) && missing_or("metrics", &json::is_object) &&
         missing_or("vectors", &json::is_object);
}

}  // namespace

std::vector<json> run_records(const storage::RunDirectory& run) {
  std::vector<json> out;
  if (std::filesystem::exists(run.records())) out = storage::read_good_json_lines(run.records());
  std::erase_if(out, [](const json& record) { return !is_well_formed(record); });
  if (!std::filesystem::exists(run.metrics())) return out;
  std::vector<json> lines = storage::read_good_json_lines(run.metrics());
  std::erase_if(lines, [](const json& line) { return !line.is_object(); });
  // Where some steps were probed, these are the curve: they have the most numbers.
  size_t most = 0;
  for (const json& line : lines) most = std::max(most, line.size());
  std::erase_if(lines, [&](const json& line) { return line.size() < most; });
  json points = json::object();
  for (const json& line : lines) {
    for (const auto& [name, value] : line.items()) points[name] = json::array();
  }
  for (const json& line : lines) {
    for (auto& [name, values] : points.items()) {
      values.push_back(line.contains(name) ? line[name] : json(nullptr));
    }
  }
  if (!lines.empty()) out.push_back({{"kind", "curve"}, {"points", points}});
  return out;
}

bool is_finished(const storage::RunDirectory& run) {
  if (!std::filesystem::exists(run.records()) || !std::filesystem::exists(run.encoder())) {
    return false;
  }
  const std::vector<json> records = storage::read_good_json_lines(run.records());
  const std::string own = hash_of(run);
  return std::any_of(records.begin(), records.end(),
                     [&](const json& record) { return is_result(record, own); });
}

bool is_result(const json& record, const std::string& own_hash) {
  const auto is = [&](const char* key, const json& value) {
    return record.is_object() && record.contains(key) && record[key] == value;
  };
  return is("kind", "evaluation") && is("final", true) &&
         (is("config_hash", own_hash) || !record.contains("config_hash"));
}

}  // namespace adassl::study
