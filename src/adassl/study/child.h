#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace adassl::study {

/// A process that runs this same program with other arguments; we read what it says.
struct Child {
  pid_t pid = 0;
  int output = -1;  // its standard output and error
  std::string title;
  std::string pending;  // the beginning of a line
  std::string last_line;
  double fraction = 0;         // of its steps done
  double first_fraction = -1;  // at its first report; negative before
};

Child spawn(const std::vector<std::string>& arguments, std::string title);

/// Reads what has come and hands on the lines worth showing; false at the end of the output.
bool listen(Child& child, const std::function<void(const std::string&)>& on_line);

/// Waits for its end: the exit code, or 128 + signal.
int reap(const Child& child);

}  // namespace adassl::study
