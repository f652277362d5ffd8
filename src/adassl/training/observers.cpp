#include "adassl/training/observers.h"

#include <utility>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/records/run_records.h"
#include "adassl/storage/run_status.h"
#include "adassl/training/interrupt.h"

namespace adassl::training {

MetricsObserver::MetricsObserver(const ObserverOptions& options, const storage::RunDirectory& run,
                                 Probe probe, Log& log)
    : options_(options),
      writer_(run.metrics()),
      descriptions_path_(run.descriptions()),
      descriptions_(records::read_descriptions(descriptions_path_)),
      probe_(std::move(probe)),
      log_(log) {}

void MetricsObserver::take(const Terms& terms, nlohmann::ordered_json& line) {
  for (const auto& [metric, value] : terms) {
    line[metric.name] = value;
    Metric& known = descriptions_[metric.name];
    if (known == metric) continue;
    known = metric;
    described_ = false;
  }
}

void MetricsObserver::on_start(int64_t step) {
  if (step > 0 || !probe_ || options_.probe_every == 0) return;
  nlohmann::ordered_json line{{"step", 0}};
  take(probe_(), line);
  if (line.size() > 1) write(line);
}

Flow MetricsObserver::on_step(const StepReport& report) {
  const bool last = report.step == report.steps;
  const bool probed =
      probe_ && options_.probe_every > 0 && (report.step % options_.probe_every == 0 || last);
  if (report.step % options_.log_every != 0 && !last && report.step != 1 && !probed) {
    return Flow::kContinue;
  }
  nlohmann::ordered_json line{{"step", report.step}};
  take(report.terms, line);
  if (probed) take(probe_(), line);
  write(line);
  return Flow::kContinue;
}

void MetricsObserver::write(const nlohmann::ordered_json& line) {
  writer_.append(line);
  if (!writer_.flush() && !std::exchange(warned_, true)) {
    log_.warn(writer_.last_error() + "; the lines are kept in memory and will be written later");
  }
  try {
    write_descriptions();
  } catch (const WriteError&) {  // sync() tries again and reports the error
  }
}

void MetricsObserver::write_descriptions() {
  if (described_) return;
  records::write_descriptions(descriptions_path_, descriptions_);
  described_ = true;
}

void MetricsObserver::sync() {
  writer_.sync_or_throw();
  write_descriptions();
}

void MetricsObserver::on_end(int64_t) {
  try {
    sync();
  } catch (const WriteError& error) {
    log_.warn(error.what());
  }
}

ProgressObserver::ProgressObserver(int64_t first_step, const storage::RunDirectory& run,
                                   double pause, StatusLine line)
    : timing_(run.timing()),
      status_(run.status()),
      line_(line),
      pause_(pause > 0 ? pause : (line_.on_terminal() ? 0.5 : 10)),
      start_(Clock::now()),
      last_shown_(start_),
      first_step_(first_step),
      last_step_(first_step) {}

Flow ProgressObserver::on_step(const StepReport& report) {
  waited_ += report.data_wait_seconds;
  const auto now = Clock::now();
  const double since = std::chrono::duration<double>(now - last_shown_).count();
  if (since < pause_ && report.step != report.steps) return Flow::kContinue;
  const double a_step = since / static_cast<double>(report.step - last_step_);
  note_time(report.step, since);
  show(report, a_step);
  last_shown_ = now;
  last_step_ = report.step;
  waited_ = 0;
  return Flow::kContinue;
}

void ProgressObserver::note_time(int64_t step, double seconds) {
  timing_.append(nlohmann::ordered_json{{"step", step},
                                        {"steps", step - last_step_},
                                        {"seconds", seconds},
                                        {"data_wait_seconds", waited_}});
  timing_.flush();
}

void ProgressObserver::show(const StepReport& report, double seconds_a_step) {
  const auto total = std::chrono::duration<double>(Clock::now() - start_).count();
  const double mean = total / static_cast<double>(report.step - first_step_);
  std::string terms;
  for (const auto& [metric, value] : report.terms) {
    terms += fmt::format("  {} {:.4g}", metric.name, value);
  }
  const std::string line = fmt::format(
      "step {}/{}{}  |  {:.1f} ms/step  {:.0f} pairs/s  data {:.0f}%  ETA {}", report.step,
      report.steps, terms, 1e3 * seconds_a_step, static_cast<double>(report.batch) / seconds_a_step,
      100 * waited_ / (seconds_a_step * static_cast<double>(report.step - last_step_)),
      text::duration(mean * static_cast<double>(report.steps - report.step)));
  storage::write_status(status_, {report.step, report.steps, line});
  line_.show(line);
}

void ProgressObserver::on_end(int64_t step) {
  if (step > last_step_) {
    note_time(step, std::chrono::duration<double>(Clock::now() - last_shown_).count());
  }
  line_.close();
  timing_.sync();
}

CheckpointObserver::CheckpointObserver(const ObserverOptions& options, State& state,
                                       const std::filesystem::path& folder, Origin origin,
                                       MetricsObserver& metrics, Log& log)
    : options_(options),
      state_(state),
      folder_(folder),
      origin_(std::move(origin)),
      metrics_(metrics),
      log_(log) {}

Flow CheckpointObserver::on_step(const StepReport& report) {
  if (const int signal = interrupted(); signal != 0) {
    log_.say(fmt::format("signal {}: saving at step {} and stopping", signal, report.step));
    return Flow::kStop;  // on_end saves
  }
  if (report.step % options_.checkpoint_every == 0) save();
  return Flow::kContinue;
}

void CheckpointObserver::on_end(int64_t step) {
  if (step != saved_step_) save();
}

void CheckpointObserver::save() {
  if (const std::string bad = not_finite(state_); !bad.empty()) {
    log_.warn(join("no checkpoint at step ", state_.step, ": ", bad, " is not finite"));
    return;
  }
  try {
    when_there_is_room(options_.on_full_disk, log_, [this] { write(); });
    saved_step_ = state_.step;
  } catch (const WriteError& error) {
    log_.warn(join(error.what(), "; no checkpoint at step ", state_.step, ", older ones stay"));
  }
}

void CheckpointObserver::write() {
  metrics_.sync();  // first, so that no checkpoint is newer than the metrics on the disk
  origin_.metrics = metrics_.extent();
  save_checkpoint(state_, folder_, origin_, options_.keep_checkpoints);
}

}  // namespace adassl::training
