#include "adassl/training/interrupt.h"

#include <csignal>
#include <ctime>
#include <string_view>

#include <unistd.h>

namespace adassl::training {
namespace {

volatile std::sig_atomic_t received = 0;
volatile std::time_t received_at = 0;  // monotonic seconds
volatile std::sig_atomic_t nothing_to_save = 0;

/// Calls only functions that are allowed in a signal handler.
[[noreturn]] void leave(int number) {
  constexpr std::string_view kLine = "stopped during the final evaluation; 'adassl resume' repeats it\n";
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  ::_exit(128 + number);
}

void remember(int number) {
  if (nothing_to_save != 0) leave(number);
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

NothingToSave::NothingToSave() { nothing_to_save = 1; }
NothingToSave::~NothingToSave() { nothing_to_save = 0; }

}  // namespace adassl::training
