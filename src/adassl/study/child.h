#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "adassl/storage/run_status.h"

namespace adassl::study {

/// A process that runs this same program with other arguments, to train a run. Its last line of
/// output is kept in case it fails; its progress is read from its status file.
struct Child {
  pid_t pid = 0;
  int output = -1;  // its standard output and error
  std::string title;
  std::filesystem::path status;  // status.json of its run
  std::string pending;           // output that is not a complete line yet
  std::string last_line;
  storage::RunStatus shown;    // the last status that was read
  double first_fraction = -1;  // share of its steps at its first status; negative before
};

/// Starts the process. Failure when the system cannot create another one.
Child spawn(const std::vector<std::string>& arguments, std::string title);

/// Reads the available output and passes on warnings; false at the end of the output.
bool listen(Child& child, const std::function<void(const std::string&)>& on_warning);

/// Reads the status file; true if the status has changed since the last call.
bool look(Child& child);

/// Waits for the process to end. Returns its exit code, or 128 + signal.
int reap(const Child& child);

}  // namespace adassl::study
