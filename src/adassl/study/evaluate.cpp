#include "adassl/study/evaluate.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/kernels/simd.h"
#include "adassl/records/describe.h"
#include "adassl/records/health.h"
#include "adassl/records/rule.h"
#include "adassl/records/run_records.h"
#include "adassl/storage/run_status.h"
#include "adassl/training/full_disk.h"
#include "adassl/training/interrupt.h"

namespace adassl::study {

using nlohmann::json;
using records::Record;
using records::Records;

namespace {

/// The duration of the training; 0 if it cannot be read, since that is no reason to lose an
/// evaluation.
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

void add_context(Record& record, const Experiment& experiment, int64_t step) {
  record.method = experiment.method_name;
  record.seed = static_cast<int64_t>(experiment.seed);
  record.step = step;
  record.config_hash = experiment.hash;
  record.commit = host::commit();
  record.time = text::utc_now();
  record.host = {{"cpu", host::cpu_name()},
                 {"threads", experiment.compute.threads},
                 {"kernels", kernels_of(experiment)},
                 {"precision", experiment.precision}};
}

namespace {

/// Asks every evaluation about this subject; nullopt if a signal came between two of them.
std::optional<evaluation::Results> ask_all(const Experiment& experiment,
                                           const evaluation::Subject& subject,
                                           const storage::RunDirectory& run, int64_t step,
                                           const std::string& doing, std::ostream& out) {
  const evaluation::Frozen frozen(subject.method);
  evaluation::Results results;
  nn::use_threads(*experiment.computation);
  const size_t count = experiment.evaluations.size();
  for (size_t i = 0; i < count; ++i) {
    if (training::interrupted() != 0) return {};
    const std::string& suite = experiment.evaluate.suites[i];
    const std::string line = fmt::format("{} {}/{}: {}", doing, i + 1, count, suite);
    storage::write_status(run.status(), {step, experiment.loop.steps, line});
    out << line << std::endl;
    const std::string obstacle = ask(*experiment.evaluations[i], subject, results);
    if (!obstacle.empty()) out << fmt::format("{}: skipped, {}", suite, obstacle) << std::endl;
  }
  if (training::interrupted() != 0) return {};
  return results;
}

/// The record with the numbers, which are moved out of the results.
Record record_of(std::string_view kind, evaluation::Results& results) {
  Record out{.kind = std::string(kind)};
  out.metrics = std::move(results.metrics);
  out.vectors = std::move(results.vectors);
  out.descriptions = std::move(results.descriptions);
  return out;
}

}  // namespace

std::string kernels_of(const Experiment& experiment) {
  const std::string& kind = experiment.compute.kernels;
  return kind == "fused" ? kind + " " + kernels::instruction_set() : kind;
}

training::Terms probe(const Experiment& experiment) {
  const evaluation::Frozen frozen(*experiment.method);
  nn::use_threads(*experiment.computation);
  evaluation::Subject subject = subject_of(experiment);
  subject.purpose = "probe";
  subject.watching = true;
  evaluation::Results results;
  for (const auto& watch : experiment.watch) watch->run(subject, results);
  training::Terms out;
  for (const auto& [name, value] : results.metrics) {
    const Metric* described = records::find_metric(results.descriptions, name);
    out.emplace_back(described == nullptr ? Metric{.name = name} : *described, value);
  }
  return out;
}

Records evaluate(const Experiment& experiment, const storage::RunDirectory& run, int64_t step,
                 std::string_view kind, std::ostream& out) {
  auto asked = ask_all(experiment, subject_of(experiment), run, step, "evaluating", out);
  if (!asked) return {};
  evaluation::Results& results = *asked;
  if (const double seconds = training_seconds(run); seconds > 0) {
    results.add({.name = "wall_seconds",
                 .label = "wall time",
                 .unit = "seconds",
                 .section = kWallTimeSection},
                seconds);
  }
  Records records{record_of(kind, results)};
  records.front().final = step == experiment.loop.steps;
  if (kind != records::kMilestone) std::ranges::move(results.records, std::back_inserter(records));
  for (Record& record : records) add_context(record, experiment, step);
  const bool differs = !experiment.method->parameters().empty();
  if (kind == records::kMilestone || !experiment.evaluate.untrained || !differs) return records;
  Records untrained = evaluate_untrained(experiment, run, out);
  if (untrained.empty()) return {};
  records.push_back(std::move(untrained.front()));
  return records;
}

Records evaluate_untrained(const Experiment& experiment, const storage::RunDirectory& run,
                           std::ostream& out) {
  const auto method = experiment.untrained();
  const evaluation::Subject subject{.method = *method,
                                    .source = *experiment.source,
                                    .seed = experiment.seed,
                                    .compute = experiment.computation};
  auto results =
      ask_all(experiment, subject, run, experiment.loop.steps, "evaluating, untrained", out);
  if (!results) return {};
  Records records{record_of(records::kUntrained, *results)};
  add_context(records.front(), experiment, 0);
  return records;
}

void append(storage::JsonLinesWriter& writer, const Records& records) {
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    writer.append(to_json(*record));
  }
}

namespace {

/// Adds whether the run has learnt until this step, if it was watched.
void add_health(const Experiment& experiment, const storage::RunDirectory& run, int64_t step,
                Records& records) {
  for (const Record& record : records::run_records(run)) {
    if (record.kind != records::kCurve) continue;
    auto health = records::health_of(record);
    if (!health || health->step != step) continue;
    health->final = step == experiment.loop.steps;
    add_context(*health, experiment, step);
    records.push_back(std::move(*health));
  }
}

}  // namespace

Records evaluate_and_keep(const Experiment& experiment, const storage::RunDirectory& run,
                          int64_t step, std::string_view kind, training::Log& log,
                          std::ostream& out) {
  std::optional<training::NothingToSave> all_is_saved;  // a signal need not wait for the evaluation
  if (kind == records::kEvaluation) {
    all_is_saved.emplace("stopped during the final evaluation; 'adassl resume' repeats it\n");
  }
  Records records = evaluate(experiment, run, step, kind, out);
  all_is_saved.reset();
  if (records.empty()) return records;
  if (kind == records::kEvaluation) add_health(experiment, run, step, records);
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
    if (!there) evaluate_and_keep(experiment_, run_, step, records::kMilestone, log_, out_);
  } catch (const SystemError& error) {
    log_.warn(join(error.what(), "; no evaluation at step ", step));
  }
}

bool MilestoneObserver::is_there(int64_t step) const {
  return std::ranges::any_of(records::counting(records::read_records(run_), experiment_.hash),
                             [&](const Record& record) {
                               return record.kind == records::kMilestone && record.step == step;
                             });
}

}  // namespace adassl::study
