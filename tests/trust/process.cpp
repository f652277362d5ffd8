#include "trust/process.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace adassl::trust {
namespace {

namespace fs = std::filesystem;

/// Whether the process ended within the time; it is not reaped.
bool ends_within(pid_t process, double seconds) {
  const double deadline = seconds_now() + seconds;
  for (;;) {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == process) return true;
    if (seconds_now() > deadline) return false;
    sleep_seconds(0.002);
  }
}

/// The runs of a study that was killed save and stop. Workers are their subreaper (workers.cpp).
void wait_for_orphans() {
  const double deadline = seconds_now() + 20;
  while (waitpid(-1, nullptr, WNOHANG) >= 0 && seconds_now() < deadline) sleep_seconds(0.01);
}

std::string quoted(const std::string& word) {
  const bool plain = word.find_first_of(" \"'[]*?$&();<>|\\") == std::string::npos;
  return plain ? word : "'" + word + "'";
}

}  // namespace

Ended wait_until_ended(pid_t process, const fs::path& errors, double limit) {
  const double start = seconds_now();
  Ended ended;
  ended.too_late = !ends_within(process, limit);
  if (ended.too_late) kill(process, SIGKILL);
  ended.code = testing::wait_for(process);
  ended.seconds = seconds_now() - start;
  wait_for_orphans();
  ended.err = testing::bytes_of(errors);
  return ended;
}

Ended run_to_the_end(const Command& command, const fs::path& errors) {
  return wait_until_ended(testing::start_program(command, ".", errors), errors);
}

WithFault::WithFault(const Fault& fault, const fs::path& root, const fs::path& counters)
    : preload_("LD_PRELOAD", ADASSL_FAULTS),
      root_("ADASSL_FAULT_ROOT", root.string()),
      kind_("ADASSL_FAULT_KIND", fault.kind),
      at_("ADASSL_FAULT_AT", std::to_string(fault.at)),
      action_("ADASSL_FAULT_ACTION", fault.action),
      counters_("ADASSL_FAULT_COUNTER", counters.string()),
      until_("ADASSL_FAULT_UNTIL", fault.until) {}

Counted read_counters(const fs::path& path) {
  const std::string bytes = testing::bytes_of(path);
  Counted out;
  if (bytes.size() != sizeof(Counters)) return out;
  Counters counters{};
  std::memcpy(static_cast<void*>(&counters), bytes.data(), bytes.size());
  for (size_t i = 0; i < kKinds; ++i) out.of_kind[i] = counters.of_kind[i];
  out.fired = counters.fired;
  out.where = counters.where.data();
  return out;
}

std::string shell_line(const Command& command) {
  std::string out = "adassl";
  for (const std::string& word : command) out += " " + quoted(word);
  return out;
}

std::string shell_line(const Command& command, const Fault& fault, const fs::path& root) {
  std::string out = "LD_PRELOAD=" ADASSL_FAULTS " ADASSL_FAULT_ROOT=" + root.string() +
                    " ADASSL_FAULT_COUNTER=/tmp/counters ADASSL_FAULT_KIND=" + fault.kind +
                    " ADASSL_FAULT_AT=" + std::to_string(fault.at) +
                    " ADASSL_FAULT_ACTION=" + fault.action + " ";
  if (!fault.until.empty()) out += "ADASSL_FAULT_UNTIL=" + fault.until + " ";
  return out + shell_line(command);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace adassl::trust
