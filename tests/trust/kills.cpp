#include <algorithm>
#include <iostream>

#include <signal.h>

#include "adassl/core/random.h"
#include "trust/case_folder.h"
#include "trust/commands.h"
#include "trust/compare.h"
#include "trust/longer_runs.h"
#include "trust/scenario.h"
#include "trust/workers.h"

namespace adassl::trust {
namespace {

namespace fs = std::filesystem;

constexpr int kKillsOfAChain = 8;  // then the run is let finish

/// What has to be known of the chain to repeat it.
std::string moments_of(const std::vector<double>& moments) {
  std::string out;
  for (const double seconds : moments) out += (out.empty() ? "" : ", ") + std::to_string(seconds);
  return out;
}

/// A run that is killed and resumed until it comes to its end. The moments are uniform over the
/// time that an undisturbed run takes, so that every part of it is hit.
Report try_chain(const LongerRun& kind, size_t index, const Options& options) {
  CaseFolder folder(options.keep);
  const fs::path run = folder.path() / "run";
  const fs::path errors = folder.path() / "errors.txt";
  const Command command = kind.command(run);
  random::Sequence draws = random::Stream(options.seed, "kills", index).at(0);
  std::vector<double> moments;
  Report report;
  report.note = kind.name;
  Ended ended;
  std::string fault;
  for (int i = 0; i <= kKillsOfAChain; ++i) {
    const pid_t process = testing::start_program(resume_or(command, run), ".", errors);
    const double limit = i == kKillsOfAChain ? 60 : draws.uniform() * kind.seconds;
    ended = wait_until_ended(process, errors, limit);
    if (!ended.too_late) break;
    moments.push_back(limit);
    report.number += 1;
  }
  if (ended.code != 0) fault = "exit code " + std::to_string(ended.code) + ", said: " + ended.err;
  if (fault.empty()) fault = difference_between_runs(run, kind.reference);
  if (fault.empty()) return report;
  folder.keep_for_inspection();
  report.violation =
      one_line_of(kind.name + ", chain " + std::to_string(index) + ": " + fault + " | seed " +
                  std::to_string(options.seed) + ", killed after seconds: " + moments_of(moments) +
                  " | " + shell_line(command));
  return report;
}

}  // namespace

Outcome kills(const Options& options) {
  CaseFolder folder(false);
  const std::vector<LongerRun> kinds = make_longer_runs(folder.path());
  for (const LongerRun& kind : kinds) {
    std::cout << kind.name << ": undisturbed in " << kind.seconds << " s" << std::endl;
  }
  const auto reports = work_through(
      options.count, options.jobs,
      [&](size_t i) { return try_chain(kinds[i % kinds.size()], i, options); },
      [&](double sum) { return sum >= static_cast<double>(options.count); });
  Outcome outcome;
  outcome.promise = "a run that was killed at any moment resumes to the same bytes";
  size_t killed = 0;
  for (const Report& report : reports) {
    killed += static_cast<size_t>(report.number);
    if (!report.violation.empty()) outcome.violations.push_back(report.violation);
  }
  outcome.tried = reports.size();
  outcome.worst = std::to_string(killed) + " kills in " + std::to_string(reports.size()) +
                  " chains over " + std::to_string(kinds.size()) + " methods";
  return outcome;
}

}  // namespace adassl::trust
