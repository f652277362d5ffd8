#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "adassl/storage/run_status.h"

namespace adassl::study {

/// A process that runs this same program with other arguments, to train a run. What it says is kept
/// for the case that it fails; how far it is, its status file tells.
struct Child {
  pid_t pid = 0;
  int output = -1;  // its standard output and error
  std::string title;
  std::filesystem::path status;  // status.json of its run
  std::string pending;           // the beginning of a line
  std::string last_line;
  storage::RunStatus shown;    // the last status
  double first_fraction = -1;  // of its steps, at its first status; negative before
};

/// Failure when the machine has no room for another process.
Child spawn(const std::vector<std::string>& arguments, std::string title);

/// Reads what has come and hands on warnings; false at the end of the output.
bool listen(Child& child, const std::function<void(const std::string&)>& on_warning);

/// Whether the status is another one than at the last call.
bool look(Child& child);

/// Waits for its end: the exit code, or 128 + signal.
int reap(const Child& child);

}  // namespace adassl::study
