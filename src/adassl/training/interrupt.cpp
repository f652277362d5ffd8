#include "adassl/training/interrupt.h"

#include <csignal>
#include <ctime>

namespace adassl::training {
namespace {

volatile std::sig_atomic_t received = 0;
volatile std::time_t received_at = 0;  // monotonic seconds

void remember(int number) {
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
  if (std::signal(SIGHUP, remember) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // started by nohup
  std::signal(SIGPIPE, SIG_IGN);
}

int interrupted() { return received; }

}  // namespace adassl::training
