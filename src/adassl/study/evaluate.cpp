#include "adassl/study/evaluate.h"

#include <algorithm>
#include <iostream>
#include <optional>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/kernels/simd.h"
#include "adassl/storage/run_status.h"
#include "adassl/training/full_disk.h"
#include "adassl/training/interrupt.h"

namespace adassl::study {

using nlohmann::json;

namespace {

/// How long training took; 0 where that cannot be read, which is no reason to lose an evaluation.
double training_seconds(const storage::RunDirectory& run) {
  std::vector<json> lines;
  try {
    lines = storage::read_good_json_lines(run.timing());
  } catch (const Error&) {
    return 0;
  }
  double total = 0;
  for (const json& line : lines) {
    const json seconds = line.is_object() ? line.value("seconds", json()) : json();
    if (seconds.is_number()) total += seconds.get<double>();
  }
  return total;
}

}  // namespace

std::string kernels_of(const Experiment& experiment) {
  const std::string& kind = experiment.compute.kernels;
  return kind == "fused" ? kind + " " + kernels::instruction_set() : kind;
}

training::Terms probe(const Experiment& experiment) {
  const evaluation::Frozen frozen(*experiment.method);
  const evaluation::Subject subject{*experiment.method, *experiment.source, experiment.seed,
                                    "probe",
                                    /*watching=*/true};
  evaluation::Results results;
  if (experiment.watch) experiment.watch->run(subject, results);
  return {results.metrics.begin(), results.metrics.end()};
}

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
    const std::string obstacle = ask(*experiment.evaluations[i], subject, results);
    if (!obstacle.empty()) {
      out << fmt::format("{}: no answer, {}", experiment.evaluate.suites[i], obstacle) << std::endl;
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

void append(storage::JsonLinesWriter& writer, const std::vector<json>& records) {
  for (auto record = records.rbegin(); record != records.rend(); ++record) writer.append(*record);
}

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

void MilestoneObserver::evaluate_at(int64_t step) const {
  const auto& at = experiment_.evaluate.at;
  if (step >= experiment_.loop.steps || std::ranges::find(at, step) == at.end()) return;
  try {
    bool there = false;
    training::when_there_is_room(experiment_.observers.on_full_disk, log_,
                                 [&] { there = is_there(step); });
    if (!there) evaluate_and_keep(experiment_, run_, step, kMilestone, log_);
  } catch (const SystemError& error) {
    log_.warn(join(error.what(), "; no milestone at step ", step));
  }
}

bool MilestoneObserver::is_there(int64_t step) const {
  if (!std::filesystem::exists(run_.records())) return false;
  const auto records = storage::read_good_json_lines(run_.records());
  return std::ranges::any_of(records, [&](const json& record) {
    return record.is_object() && record.value("kind", json()) == kMilestone &&
           record.value("step", json()) == step &&
           record.value("config_hash", json()) == experiment_.hash;
  });
}

}  // namespace adassl::study
