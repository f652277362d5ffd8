#include "adassl/training/interrupt.h"

#include <csignal>

namespace adassl::training {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int number) {
  received = number;
  std::signal(number, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

int interrupted() { return received; }

}  // namespace adassl::training
