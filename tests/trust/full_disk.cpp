#include <stdexcept>

#include <signal.h>
#include <sys/wait.h>

#include "support/temporary_directory.h"
#include "trust/case_folder.h"
#include "trust/commands.h"
#include "trust/compare.h"
#include "trust/scenario.h"
#include "trust/workers.h"

namespace adassl::trust {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;

/// What a full disk refuses: bytes, and new folders.
constexpr const char* kRefused = "write,mkdir";

struct Case {
  bool waits;          // train.on_full_disk is "wait", the default, or "stop"
  size_t at;           // the first operation that fails
  std::string action;  // ENOSPC, or EDQUOT where only this user's space is used up

  std::string name() const {
    return (waits ? "wait:" : "stop:") + std::to_string(at) + ":" + action;
  }
};

Command command_for(bool waits, const fs::path& root) {
  return waits ? train_command(root) : train_command(root, {"train.on_full_disk=stop"});
}

void put_config(const fs::path& root) {
  fs::create_directories(root);
  fs::copy_file(fs::path(ADASSL_SOURCE_DIR) / "configs/numerical-complex-adassl-v.toml",
                root / "config.toml");
}

bool has_ended(pid_t process) {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == process;
}

bool names_the_reason(const std::string& text) {
  return text.find("No space left on device") != std::string::npos ||
         text.find("Disk quota exceeded") != std::string::npos ||
         text.find("disk is full") != std::string::npos;
}

/// Waits until the program has said that the disk is full, gives it space again and waits for the
/// end. What a user would see go wrong, or nothing.
std::string wait_out(pid_t process, const fs::path& errors, const fs::path& freed) {
  const double deadline = seconds_now() + 30;
  while (!names_the_reason(bytes_of(errors)) && !has_ended(process) && seconds_now() < deadline) {
    sleep_seconds(0.01);
  }
  sleep_seconds(1);  // it must go on waiting
  const bool gave_up = has_ended(process);
  const bool said_so = names_the_reason(bytes_of(errors));
  testing::put(freed, "");
  const Ended ended = wait_until_ended(process, errors);
  if (gave_up) return "it did not wait: exit code " + std::to_string(ended.code);
  if (!said_so) return "it did not say that the disk is full";
  if (ended.too_late) return "it did not go on when there was space again";
  return ended.code == 0 ? "" : "exit code " + std::to_string(ended.code);
}

std::string stop_at_once(pid_t process, const fs::path& errors) {
  const Ended ended = wait_until_ended(process, errors);
  if (ended.code != 1) return "expected exit code 1, got " + std::to_string(ended.code);
  if (!names_the_reason(ended.err)) return "it did not say that the disk is full";
  return fault_of_ending(ended, false);
}

Report try_case(const Case& one, const fs::path& reference, bool keep) {
  CaseFolder folder(keep);
  const fs::path root = folder.path() / "files";
  const fs::path errors = folder.path() / "errors.txt";
  const fs::path freed = folder.path() / "freed";
  put_config(root);
  const Command command = command_for(one.waits, root);
  const Fault fault{kRefused, one.at, one.action, freed.string()};
  std::string wrong;
  {
    const WithFault faulty(fault, root, folder.path() / "counters");
    const pid_t process = testing::start_program(command, ".", errors);
    wrong = one.waits ? wait_out(process, errors, freed) : stop_at_once(process, errors);
  }
  const std::string said = bytes_of(errors);
  // Before there is a run, nothing is lost if it ends with one line.
  const bool begun = fs::exists(root / "run/config.toml");
  if (!begun && names_the_reason(said)) wrong.clear();
  if (!begun || !one.waits) {
    const Ended ended = run_to_the_end(resume_or(command, root / "run"), errors);
    if (ended.code != 0 && wrong.empty()) wrong = "cannot be taken up again: " + ended.err;
  }
  if (wrong.empty()) wrong = difference_between_runs(root / "run", reference);
  Report report;
  report.note = one.name();
  if (wrong.empty()) return report;
  folder.keep_for_inspection();
  report.violation =
      one_line_of(one.name() + ": " + wrong + "; it had said: " + said + " | " +
                  shell_line(command, fault, root) + " & sleep 5; touch " + freed.string());
  return report;
}

/// The undisturbed run, in which the writes are counted.
size_t count_writes(bool waits, const fs::path& root) {
  put_config(root);
  const fs::path counters = root.parent_path() / (root.filename().string() + ".counters");
  const WithFault counting({kRefused, 0, "", ""}, root, counters);
  const Ended ended = run_to_the_end(command_for(waits, root), root.parent_path() / "errors.txt");
  if (ended.code != 0) throw std::runtime_error("the undisturbed run: " + ended.err);
  const Counted counted = read_counters(counters);
  return counted.of_kind[static_cast<size_t>(Kind::kWrite)] +
         counted.of_kind[static_cast<size_t>(Kind::kMkdir)];
}

/// From the first operation to the last, and the places where another file is written.
std::vector<Case> cases_for(bool waits, size_t count) {
  std::vector<Case> out;
  for (const size_t at : {1, 2, 3, 4, 5, 6, 8, 12}) out.push_back({waits, at, "ENOSPC"});
  for (size_t i = 1; i < 12; ++i) out.push_back({waits, i * count / 12, "ENOSPC"});
  // The very last write is a line of log.txt, for which no run waits.
  for (size_t back = 1; back < 7; ++back) out.push_back({waits, count - back, "ENOSPC"});
  out.push_back({waits, count / 2 + 1, "EDQUOT"});
  return out;
}

}  // namespace

Outcome full_disk(const Options& options) {
  CaseFolder folder(false);
  Outcome outcome;
  outcome.promise = "a full disk makes a run wait or stop, and costs nothing";
  std::vector<Case> cases;
  for (const bool waits : {true, false}) {
    try {
      const size_t count = count_writes(waits, folder.path() / (waits ? "wait" : "stop"));
      for (const Case& one : cases_for(waits, count)) {
        if (one.name().starts_with(options.only)) cases.push_back(one);
      }
    } catch (const std::runtime_error& error) {
      ++outcome.tried;
      outcome.violations.push_back(one_line_of(error.what()));
    }
  }
  const auto reports = work_through(cases.size(), options.jobs, [&](size_t i) {
    return try_case(cases[i], folder.path() / (cases[i].waits ? "wait" : "stop") / "run",
                    options.keep);
  });
  outcome.tried += reports.size();
  for (const Report& report : reports) {
    if (!report.violation.empty()) outcome.violations.push_back(report.violation);
  }
  outcome.worst = outcome.violations.empty() ? "none" : outcome.violations.front();
  return outcome;
}

}  // namespace adassl::trust
