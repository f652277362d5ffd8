#include "adassl/study/run.h"

#include <algorithm>
#include <chrono>
#include <iostream>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/evaluation/regression.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"
#include "adassl/training/checkpoint.h"
#include "adassl/training/interrupt.h"

namespace adassl::study {
namespace {

using nlohmann::json;
using training::State;

/// The closed-form probe on a few thousand fresh samples, the same ones at every step.
training::Terms probe(const Experiment& experiment) {
  const evaluation::Frozen frozen(*experiment.method);
  evaluation::Results results;
  evaluation::Regression({experiment.evaluate.probe_samples, experiment.evaluate.probe_samples})
      .run({*experiment.method, *experiment.source, experiment.seed}, results);
  return {results.metrics.begin(), results.metrics.end()};
}

std::string now() {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

double training_seconds(const storage::RunDirectory& run) {
  double total = 0;
  if (!std::filesystem::exists(run.timing())) return 0;
  for (const json& line : storage::read_json_lines(run.timing())) {
    total += line.value("seconds", 0.0);
  }
  return total;
}

/// Runs the suites and appends one record for the numbers and one for each picture.
std::vector<json> evaluate(const Experiment& experiment, const storage::RunDirectory& run,
                           int64_t step) {
  const evaluation::Frozen frozen(*experiment.method);
  evaluation::Results results;
  const evaluation::Subject subject{*experiment.method, *experiment.source, experiment.seed};
  for (const auto& suite : experiment.evaluations) suite->run(subject, results);
  if (const double seconds = training_seconds(run); seconds > 0) {
    results.metrics["wall_seconds"] = seconds;
  }
  const json context = {{"method", experiment.method_name},
                        {"seed", experiment.seed},
                        {"step", step},
                        {"config_hash", experiment.hash},
                        {"commit", host::commit()},
                        {"time", now()},
                        {"host", {{"cpu", host::cpu_name()}, {"threads", at::get_num_threads()}}}};
  json main = {{"kind", "evaluation"},
               {"final", step == experiment.loop.steps},
               {"metrics", results.metrics},
               {"vectors", results.vectors}};
  main.update(context);
  std::vector<json> records{main};
  for (json& record : results.records) {
    record.update(context);
    records.push_back(record);
  }
  storage::JsonLinesWriter writer(run.records());
  for (const json& record : records) writer.append(record);
  ADASSL_CHECK(writer.sync(), writer.last_error());
  return records;
}

/// Cuts what was logged after the checkpoint, so that it can be written again.
void rewind_logs(const storage::RunDirectory& run, int64_t step) {
  const auto keep = [&](const json& line) { return line.value("step", int64_t{0}) <= step; };
  storage::keep_lines(run.metrics(), keep);
  storage::keep_lines(run.timing(), keep);
}

RunOutcome train_and_evaluate(Experiment& experiment, const storage::RunDirectory& run,
                              bool resumed, double status_pause) {
  training::Log log(run.log());
  training::FlatParameters parameters(*experiment.method);
  training::AdamW optimizer(experiment.optimizer, parameters);
  State state{*experiment.method, parameters, optimizer};
  if (resumed) {
    const auto path = training::load_newest_checkpoint(state, run.checkpoints(), experiment.hash,
                                                       [&](const auto& line) { log.warn(line); });
    rewind_logs(run, state.step);
    log.say(fmt::format("resumed at step {} from {}", state.step,
                        path ? path->filename().string() : "the start: no checkpoint yet"));
  }
  log.say(fmt::format("{}, seed {}, commit {}, {}, {} threads", experiment.method_name,
                      experiment.seed, host::commit(), host::cpu_name(), at::get_num_threads()));
  auto metrics = std::make_shared<training::MetricsObserver>(
      experiment.observers, run.metrics(), [&] { return probe(experiment); }, log);
  auto checkpoints = std::make_shared<training::CheckpointObserver>(
      experiment.observers, state, run.checkpoints(), experiment.hash, *metrics, log);
  auto progress =
      std::make_shared<training::ProgressObserver>(state.step, run.timing(), status_pause);
  try {
    training::run_loop(experiment.loop, experiment.seed, *experiment.source, *experiment.method,
                       state, {metrics, progress, checkpoints});
  } catch (const Failure& failure) {
    log.say(failure.what());
    metrics->sync();
    throw;
  }
  if (state.step < experiment.loop.steps) return {state.step, training::interrupted(), false};
  const auto encoder = experiment.method->encoder();
  training::save_weights(encoder ? *encoder : *experiment.method, run.encoder(),
                         {{"method", experiment.method_name},
                          {"step", std::to_string(state.step)},
                          {"config_hash", experiment.hash}});
  evaluate(experiment, run, state.step);
  log.say("finished");
  return {state.step, 0, false};
}

}  // namespace

RunOutcome start_run(Config config, const std::filesystem::path& directory, double status_pause) {
  Experiment experiment = build_experiment(std::move(config));
  training::require_memory(experiment.loop, *experiment.source, *experiment.method);
  const auto run = storage::RunDirectory::create(directory);
  storage::write_atomically(run.config(), experiment.resolved);
  return train_and_evaluate(experiment, run, /*resumed=*/false, status_pause);
}

RunOutcome resume_run(const std::filesystem::path& directory, double status_pause) {
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kYes);
  Experiment experiment = build_experiment(Config::from_file(run.config()));
  if (is_finished(run)) return {experiment.loop.steps, 0, true};
  return train_and_evaluate(experiment, run, /*resumed=*/true, status_pause);
}

std::vector<json> evaluate_run(const std::filesystem::path& directory,
                               const std::vector<std::string>& overrides) {
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kYes);
  const Experiment trained = build_experiment(Config::from_file(run.config()));
  Config config = Config::from_file(run.config());
  for (const std::string& assignment : overrides) {
    ADASSL_CHECK(assignment.starts_with("evaluate.") || assignment.starts_with("compute."),
                 "[evaluate] expected overrides of evaluate.* or compute.*, got '", assignment,
                 "'");
    config.override_with(assignment);
  }
  Experiment experiment = build_experiment(std::move(config));
  training::Log log(run.log());
  training::FlatParameters parameters(*experiment.method);
  training::AdamW optimizer(experiment.optimizer, parameters);
  State state{*experiment.method, parameters, optimizer};
  const auto path = training::load_newest_checkpoint(state, run.checkpoints(), trained.hash,
                                                     [&](const auto& line) { log.warn(line); });
  ADASSL_CHECK(path || parameters.slices.empty(), "[", directory.string(),
               "] has no checkpoint to evaluate yet");
  return evaluate(experiment, run, state.step);
}

std::vector<json> run_records(const storage::RunDirectory& run) {
  std::vector<json> out;
  if (std::filesystem::exists(run.records())) out = storage::read_json_lines(run.records());
  if (!std::filesystem::exists(run.metrics())) return out;
  std::vector<json> lines = storage::read_json_lines(run.metrics());
  const auto probed = [](const json& line) { return line.contains("r2_pz"); };
  if (std::any_of(lines.begin(), lines.end(), probed)) {  // then these are the curve
    std::erase_if(lines, [&](const json& line) { return !probed(line); });
  }
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
  if (!std::filesystem::exists(run.records())) return false;
  for (const json& record : storage::read_json_lines(run.records())) {
    if (record.value("kind", "") == "evaluation" && record.value("final", false)) return true;
  }
  return false;
}

}  // namespace adassl::study
