#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "adassl/core/metric.h"
#include "adassl/parts/run.h"
#include "adassl/storage/json_lines.h"
#include "adassl/storage/run_directory.h"
#include "adassl/training/checkpoint.h"
#include "adassl/training/full_disk.h"
#include "adassl/training/log.h"
#include "adassl/training/loop.h"
#include "adassl/training/status_line.h"

namespace adassl::training {

using parts::ObserverOptions;

/// Evaluates the model without changing it.
using Probe = std::function<Terms()>;

/// Writes metrics.jsonl (loss terms and probes, one line per logged step) and describe.json (the
/// descriptions of these metrics). Line 0 holds the probes of the untrained model. Nothing in these
/// files depends on time, so that a resumed run writes the same bytes.
class MetricsObserver final : public Observer {
 public:
  MetricsObserver(const ObserverOptions& options, const storage::RunDirectory& run, Probe probe,
                  Log& log);
  void on_start(int64_t step) override;
  Flow on_step(const StepReport& report) override;
  void on_end(int64_t step) override;
  /// Waits until all lines so far and their descriptions are on the disk; WriteError when that
  /// fails.
  void sync();
  /// The current extent of metrics.jsonl.
  storage::Extent extent() const { return writer_.extent(); }

 private:
  void take(const Terms& terms, nlohmann::ordered_json& line);
  void write(const nlohmann::ordered_json& line);
  void write_descriptions();

  ObserverOptions options_;
  storage::JsonLinesWriter writer_;
  std::filesystem::path descriptions_path_;
  Descriptions descriptions_;  // of all terms so far, including those before a resume
  bool described_ = true;      // whether describe.json holds them all
  Probe probe_;
  Log& log_;
  bool warned_ = false;
};

/// Shows the progress line (step, loss, speed, ETA) and writes status.json and timing.jsonl.
class ProgressObserver final : public Observer {
 public:
  /// `pause` is the time between two lines in seconds; 0 means 0.5 on a terminal and 10 elsewhere.
  /// `line` is where they are shown.
  ProgressObserver(int64_t first_step, const storage::RunDirectory& run, double pause,
                   StatusLine line);
  Flow on_step(const StepReport& report) override;
  void on_end(int64_t step) override;

 private:
  void note_time(int64_t step, double seconds);
  void show(const StepReport& report, double seconds_a_step);

  using Clock = std::chrono::steady_clock;
  storage::JsonLinesWriter timing_;
  std::filesystem::path status_;
  StatusLine line_;
  double pause_;
  Clock::time_point start_, last_shown_;
  int64_t first_step_;
  int64_t last_step_;
  double waited_ = 0;
};

/// Saves a checkpoint every `checkpoint_every` steps, at the end, and when a signal asks to stop;
/// never weights that are not finite. A full disk makes the run wait or stop (on_full_disk). After
/// any other write error the run continues without the new checkpoint.
class CheckpointObserver final : public Observer {
 public:
  CheckpointObserver(const ObserverOptions& options, State& state,
                     const std::filesystem::path& folder, Origin origin, MetricsObserver& metrics,
                     Log& log);
  Flow on_step(const StepReport& report) override;
  void on_end(int64_t step) override;
  /// The step of the newest checkpoint that was written; -1 before the first.
  int64_t saved_step() const { return saved_step_; }

 private:
  void save();
  void write();

  ObserverOptions options_;
  State& state_;
  std::filesystem::path folder_;
  Origin origin_;
  MetricsObserver& metrics_;
  Log& log_;
  int64_t saved_step_ = -1;
};

}  // namespace adassl::training
