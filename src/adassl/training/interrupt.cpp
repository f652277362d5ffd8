#include "adassl/training/interrupt.h"

#include <csignal>
#include <cstring>
#include <ctime>

#include <unistd.h>

namespace adassl::training {
namespace {

volatile std::sig_atomic_t received = 0;
volatile std::time_t received_at = 0;            // monotonic seconds
const char* volatile nothing_to_save = nullptr;  // the line that says so

/// Calls only functions that are allowed in a signal handler.
[[noreturn]] void leave(int number, const char* line) {
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, line, ::strlen(line));
  ::_exit(128 + number);
}

void remember(int number) {
  if (const char* line = nothing_to_save; line != nullptr) leave(number, line);
  constexpr std::time_t kPatience = 2;  // seconds
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (received == 0) {
    received = number;
    received_at = now.tv_sec;
  } else if (now.tv_sec - received_at > kPatience) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
  if (std::signal(SIGHUP, remember) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // as under nohup
  std::signal(SIGPIPE, SIG_IGN);
}

int interrupted() { return received; }

NothingToSave::NothingToSave(const char* line) {
  nothing_to_save = line;
  if (received != 0) leave(received, line);
}
NothingToSave::~NothingToSave() { nothing_to_save = nullptr; }

}  // namespace adassl::training
