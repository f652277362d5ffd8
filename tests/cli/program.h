#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

/// Runs the program as a user would: as a process of its own.
namespace adassl::testing {

struct Result {
  int code = -1;    // exit code, or 128 + signal
  std::string out;  // standard output
  std::string err;  // standard error
};

Result run_program(const std::vector<std::string>& arguments,
                   const std::filesystem::path& folder = ".");

/// Starts the program without waiting for it. Its standard output is discarded; its standard error
/// goes to a file.
pid_t start_program(const std::vector<std::string>& arguments,
                    const std::filesystem::path& folder = ".",
                    const std::filesystem::path& errors = "/dev/null");
/// Exit code, or 128 + signal.
int wait_for(pid_t process);

/// Sets an environment variable for the programs that are started during its lifetime.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// `train` on a model so small that a step takes a millisecond.
std::vector<std::string> small_train(const std::filesystem::path& run,
                                     const std::vector<std::string>& overrides = {},
                                     const std::string& config = "numerical-complex-adassl-v");

std::string bytes_of(const std::filesystem::path& path);
size_t lines_in(const std::filesystem::path& path);
/// Whether the process has not ended yet. Its exit code stays for whoever waits for it.
bool is_running(pid_t process);
/// Waits until the condition holds, or until the process has ended; returns whether it holds.
template <class Condition>
bool wait_until(pid_t process, const Condition& holds) {
  while (!holds()) {
    if (!is_running(process)) return holds();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}
/// Waits until a file has so many lines, or until the process has ended.
void wait_for_lines(const std::filesystem::path& path, size_t lines, pid_t process);

}  // namespace adassl::testing
