#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "cli/program.h"
#include "trust/counters.h"

/// Running the program with a time limit, and with a fault.
namespace adassl::trust {

using Command = std::vector<std::string>;

/// How a command ended.
struct Ended {
  int code = -1;  // exit code, or 128 + signal
  bool too_late = false;
  std::string err;  // standard error
  double seconds = 0;
};

/// Waits for the process and then for the processes that it left behind. One that takes longer than
/// `limit` seconds is killed.
Ended wait_until_ended(pid_t process, const std::filesystem::path& errors, double limit = 60);
/// The command from start to end; its standard error passes through the file `errors`.
Ended run_to_the_end(const Command& command, const std::filesystem::path& errors);

struct Fault {
  std::string kind;
  size_t at = 0;
  std::string action;
  std::string until;  // see ADASSL_FAULT_UNTIL
};

/// Programs that are started while this lives meet the fault.
class WithFault {
 public:
  WithFault(const Fault& fault, const std::filesystem::path& root,
            const std::filesystem::path& counters);

 private:
  testing::Environment preload_, root_, kind_, at_, action_, counters_, until_;
};

/// How many operations there were, and where the fault was injected.
struct Counted {
  std::array<size_t, kKinds> of_kind{};
  size_t fired = 0;
  std::string where;
};
Counted read_counters(const std::filesystem::path& path);

/// The command as it would be typed into a shell, with the environment that brings the fault.
std::string shell_line(const Command& command);
std::string shell_line(const Command& command, const Fault& fault,
                       const std::filesystem::path& root);

double seconds_now();  // of a clock that only runs forward
void sleep_seconds(double seconds);

}  // namespace adassl::trust
