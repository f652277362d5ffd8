#include "adassl/study/reproduce.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <list>
#include <optional>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/parts/resolve.h"
#include "adassl/records/run_records.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/child.h"
#include "adassl/study/run.h"
#include "adassl/training/interrupt.h"
#include "adassl/training/status_line.h"

namespace adassl::study {
namespace {

using Clock = std::chrono::steady_clock;

enum class Status { kNew, kUnfinished, kFinished };

/// Describes how the configuration that the study requests differs from that of the existing run;
/// empty if it does not. A key that was given when the run was made, but is not given now, counts
/// if its default is another value.
std::string difference_of(const StudyRun& run, const storage::RunDirectory& directory) {
  const Config present = Config::from_file(directory.config());
  Config requested = requested_config(run);
  const std::string difference = requested.difference_from(present);
  if (!difference.empty() || !std::filesystem::exists(directory.given())) return difference;
  if (Config::from_file(directory.given()).key_missing_in(requested).empty()) return "";
  parts::resolve(requested, parts::built_in());
  return Config::from_text(requested.resolved(), run.config.string()).difference_from(present);
}

/// A directory that cannot be accessed counts as new; the attempt to run it will report the reason.
bool is_there(const StudyRun& run) {
  std::error_code unseen;
  return std::filesystem::exists(run.directory / "config.toml", unseen);
}

Status status_of(const StudyRun& run) {
  if (!is_there(run)) return Status::kNew;
  const auto directory =
      storage::RunDirectory::open(run.directory, storage::RunDirectory::Lock::kNo);
  const std::string difference = difference_of(run, directory);
  ADASSL_CHECK(difference.empty(), "[", run.directory.string(),
               "] holds a run of another configuration: ", difference,
               "; move it away or choose another --out");
  // A run that lacks only its page counts as unfinished, because resuming it writes the page.
  const bool complete =
      records::is_finished(directory) && std::filesystem::exists(directory.report());
  return complete ? Status::kFinished : Status::kUnfinished;
}

std::vector<std::string> arguments_of(const StudyRun& run, Status status, int64_t threads) {
  if (status == Status::kUnfinished) {
    return {"adassl", "resume", run.directory, "--status-every", "2"};
  }
  std::vector<std::string> out = {"adassl",      "train",          run.config, "--run",
                                  run.directory, "--status-every", "2"};
  out.insert(out.end(), run.overrides.begin(), run.overrides.end());
  if (!requested_config(run).has("compute.threads")) {
    out.push_back(fmt::format("compute.threads={}", threads));
  }
  return out;
}

/// Runs the processes of a study and shows their progress.
class Board {
 public:
  Board(const std::vector<StudyRun>& runs, const ReproduceOptions& options)
      : options_(options), total_(runs.size()) {
    for (const StudyRun& run : runs) {
      if (status_of(run) == Status::kFinished) {
        ++finished_;
      } else {
        waiting_.push_back(&run);
      }
    }
    const auto left = static_cast<int64_t>(waiting_.size());
    options_.jobs = std::clamp<int64_t>(left, 1, options_.jobs);
    threads_ = std::max<int64_t>(1, options_.cores / options_.jobs);
  }

  ReproduceOutcome run() {
    while (!waiting_.empty() || !children_.empty()) {
      if (outcome_.signal == 0 && training::interrupted() != 0) stop();
      fill();
      listen_to_all();
    }
    if (outcome_.signal == 0) outcome_.signal = training::interrupted();
    line_.close();
    return outcome_;
  }

 private:
  void stop() {
    outcome_.signal = training::interrupted();
    waiting_.clear();
    for (const Child& child : children_) kill(child.pid, outcome_.signal);
  }

  void fill() {
    while (!waiting_.empty() && static_cast<int64_t>(children_.size()) < options_.jobs) {
      const StudyRun& run = *waiting_.front();
      waiting_.erase(waiting_.begin());
      const std::string title = fmt::format("{}, seed {}", run.label, run.seed);
      const auto status = status_by_now(run, title);
      if (status == Status::kFinished) ++finished_;
      if (!status || status == Status::kFinished) continue;
      start(run, *status, title);
    }
  }

  void start(const StudyRun& run, Status status, const std::string& title) {
    try {
      Child child = spawn(arguments_of(run, status, threads_), title);
      child.status = run.directory / "status.json";
      if (status == Status::kNew) child.first_fraction = 0;
      children_.push_back(std::move(child));
    } catch (const Failure& failure) {
      fail(title, 1, failure.what());
    }
  }

  /// The current status of a run. Another process may have put a run of another configuration there
  /// meanwhile; then this run fails.
  std::optional<Status> status_by_now(const StudyRun& run, const std::string& title) {
    try {
      return status_of(run);
    } catch (const Error& error) {
      fail(title, 2, error.what());
      return std::nullopt;
    }
  }

  void listen_to_all() {
    std::vector<pollfd> polled;
    for (const Child& child : children_) polled.push_back({child.output, POLLIN, 0});
    poll(polled.data(), polled.size(), 200);
    size_t index = 0;
    for (auto child = children_.begin(); child != children_.end();) {
      const bool ready = polled[index++].revents != 0;
      if (look(*child)) show(child->title, child->shown.line);
      if (!ready || listen(*child, [&](const auto& line) { show(child->title, line); })) {
        ++child;
        continue;
      }
      conclude(*child, reap(*child));
      child = children_.erase(child);
    }
  }

  void conclude(const Child& child, int code) {
    if (child.first_fraction >= 0) work_done_ += child.shown.fraction() - child.first_fraction;
    if (code == 0) {
      ++finished_;
    } else if (training::interrupted() == 0) {
      fail(child.title, code, child.last_line);
    }
  }

  void fail(const std::string& title, int code, const std::string& why) {
    line_.close();
    std::cerr << fmt::format("{} failed (exit code {}): {}\n", title, code, why);
    ++outcome_.failed;
    outcome_.users_mistake |= code == 2;
  }

  /// Estimated from the share of steps done since we started; runs without steps contribute
  /// nothing.
  std::string eta() const {
    double done = work_done_;
    auto rest = static_cast<double>(waiting_.size());
    for (const Child& child : children_) {
      done += std::max(0.0, child.shown.fraction() - std::max(0.0, child.first_fraction));
      rest += 1 - child.shown.fraction();
    }
    if (done < 0.01) return "?";
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return text::duration(seconds / done * rest);
  }

  void show(const std::string& title, const std::string& line) {
    line_.show(fmt::format("[{}/{} done, ETA {}] {}: {}", finished_, total_, eta(), title, line));
    if (line.starts_with("warning: ")) line_.close();  // so that it is not overwritten
  }

  ReproduceOptions options_;
  ReproduceOutcome outcome_;
  int64_t threads_ = 1;  // of each new run; a resumed run keeps its own
  std::vector<const StudyRun*> waiting_;
  std::list<Child> children_;
  size_t total_;
  size_t finished_ = 0;
  double work_done_ = 0;  // in units of one run
  Clock::time_point start_ = Clock::now();
  training::StatusLine line_{std::cerr, STDERR_FILENO};
};

}  // namespace

std::vector<StudyRun> without_others(std::vector<StudyRun> runs) {
  std::erase_if(runs, [](const StudyRun& run) {
    try {
      status_of(run);
      return false;
    } catch (const Error& error) {
      std::cerr << fmt::format("left out: {}\n", error.what());
      return true;
    }
  });
  return runs;
}

ReproduceOutcome run_all(const std::vector<StudyRun>& runs, const ReproduceOptions& options) {
  return Board(runs, options).run();
}

}  // namespace adassl::study
