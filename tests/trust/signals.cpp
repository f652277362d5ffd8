#include <algorithm>
#include <array>
#include <cstring>
#include <iostream>

#include <signal.h>

#include "trust/case_folder.h"
#include "trust/commands.h"
#include "trust/compare.h"
#include "trust/longer_runs.h"
#include "trust/scenario.h"
#include "trust/workers.h"

namespace adassl::trust {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;

constexpr double kPatience = 1;  // seconds from the signal to the end
constexpr double kUsual = 3;     // seconds of the run for which the delays are meant

/// When the signal is sent, and how often each is tried.
enum class Moment { kStart, kTraining, kMilestone, kEvaluation };
constexpr std::array<const char*, 4> kMomentNames = {"start", "training", "milestone",
                                                     "evaluation"};

struct Case {
  int signal;
  Moment moment;
  double delay;  // after the moment has come

  std::string name() const {
    return std::string(strsignal(signal)) + " (" + std::to_string(signal) + "), " +
           kMomentNames[static_cast<size_t>(moment)] + " + " + std::to_string(delay) + " s";
  }
};

/// Evaluations that take seconds, so that a signal finds them at work.
Command command_for(const fs::path& run) {
  return testing::small_train(
      run, {"train.steps=600", "train.log_every=1", "train.probe_every=100",
            "train.checkpoint_every=5000", "evaluate.at=[500]",
            "evaluate.regression.train_samples=200000", "evaluate.regression.test_samples=200000"});
}

int64_t last_logged_step(const fs::path& run) {
  const std::string metrics = bytes_of(run / "metrics.jsonl");
  const size_t last = metrics.rfind("{\"step\":");
  return last == std::string::npos ? 0 : std::stoll(metrics.substr(last + 8));
}

int64_t saved_step(const fs::path& run) {
  const std::string name = newest_checkpoint(run).filename().string();
  return name.empty() ? 0 : std::stoll(name.substr(5));
}

bool has_come(Moment moment, const fs::path& run) {
  switch (moment) {
    case Moment::kStart:
      return true;
    case Moment::kTraining:
      return last_logged_step(run) >= 50;
    case Moment::kMilestone:
      return last_logged_step(run) >= 500;
    case Moment::kEvaluation:
      return fs::exists(run / "encoder.safetensors");
  }
  return true;
}

/// What is wrong with how the run ended, or nothing.
std::string fault_of_stop(const Case& one, const Ended& ended, double seconds,
                          const fs::path& run) {
  if (ended.too_late) return "it did not end within a minute";
  // An evaluation may be over before the signal comes.
  if (one.moment == Moment::kEvaluation && ended.code == 0 && fs::exists(run / "report.html")) {
    return "";
  }
  if (ended.code != 128 + one.signal) return "exit code " + std::to_string(ended.code);
  if (seconds > kPatience) return "it took " + std::to_string(seconds) + " s to end";
  if (one.moment == Moment::kStart && !fs::exists(run / "metrics.jsonl")) return "";
  const int64_t logged = last_logged_step(run);
  const int64_t saved = saved_step(run);
  if (logged == saved) return "";
  return "step " + std::to_string(logged) + " was logged, step " + std::to_string(saved) + " saved";
}

Report try_case(const Case& one, const LongerRun& kind, bool keep) {
  CaseFolder folder(keep);
  const fs::path run = folder.path() / "run";
  const fs::path errors = folder.path() / "errors.txt";
  const pid_t process = testing::start_program(kind.command(run), ".", errors);
  const double deadline = seconds_now() + 60;
  while (!has_come(one.moment, run) && seconds_now() < deadline) sleep_seconds(0.002);
  sleep_seconds(one.delay);
  const double sent = seconds_now();
  kill(process, one.signal);
  Ended ended = wait_until_ended(process, errors);
  const double seconds = seconds_now() - sent;
  std::string fault = fault_of_stop(one, ended, seconds, run);
  const std::string said = ended.err;
  ended = run_to_the_end(resume_or(kind.command(run), run), errors);
  if (fault.empty() && ended.code != 0) fault = "cannot be resumed: " + ended.err;
  if (fault.empty()) fault = difference_between_runs(run, kind.reference);
  Report report;
  report.number = seconds;
  report.note = one.name();
  if (fault.empty()) return report;
  folder.keep_for_inspection();
  report.violation = one_line_of(one.name() + ": " + fault + "; it had said: " + said + " | " +
                                 shell_line(kind.command(run)) + " & sleep ...; kill -" +
                                 std::to_string(one.signal) + " $!");
  return report;
}

/// On a machine on which the run is shorter, the signals come sooner in proportion. Otherwise some
/// would come after its end.
std::vector<Case> all_cases(double run_seconds) {
  std::vector<Case> out;
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    for (const double delay : {0.05, 0.2, 0.4, 0.6, 0.8}) {
      out.push_back({signal, Moment::kStart, delay});
    }
    for (const double delay : {0.0, 0.1}) out.push_back({signal, Moment::kTraining, delay});
    for (const Moment moment : {Moment::kMilestone, Moment::kEvaluation}) {
      for (const double delay : {0.05, 0.2, 0.5}) out.push_back({signal, moment, delay});
    }
  }
  for (Case& one : out) one.delay *= std::min(1.0, run_seconds / kUsual);
  return out;
}

}  // namespace

Outcome signals(const Options& options) {
  CaseFolder folder(false);
  LongerRun kind{"run", command_for, {}, 0};
  make_reference(kind, folder.path());
  std::cout << "undisturbed in " << kind.seconds << " s" << std::endl;
  const std::vector<Case> cases = all_cases(kind.seconds);
  const auto reports = work_through(
      cases.size(), options.jobs, [&](size_t i) { return try_case(cases[i], kind, options.keep); });
  Outcome outcome;
  outcome.promise = "SIGHUP, SIGINT and SIGTERM save, and end the run within a second";
  outcome.tried = reports.size();
  Report longest;
  for (const Report& report : reports) {
    if (!report.violation.empty()) outcome.violations.push_back(report.violation);
    if (report.number > longest.number) longest = report;
  }
  outcome.worst = std::to_string(longest.number) + " s: " + longest.note;
  return outcome;
}

}  // namespace adassl::trust
