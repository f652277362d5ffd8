#include "adassl/training/full_disk.h"

#include <chrono>
#include <thread>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/parts/run.h"
#include "adassl/training/interrupt.h"

namespace adassl::training {
namespace {

/// Sleeps for half a second, or less if a signal arrives.
void pause() {
  for (int i = 0; i < 10 && interrupted() == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

void when_there_is_room(const std::string& on_full_disk, Log& log,
                        const std::function<void()>& write) {
  bool waited = false;
  for (bool tried_again = false;;) {
    try {
      write();
      if (waited) log.warn("there is room again: going on");
      return;
    } catch (const SystemError& error) {
      if (!error.disk_is_full() && !std::exchange(tried_again, true)) continue;
      if (!error.disk_is_full() || interrupted() != 0) throw;
      if (on_full_disk == parts::kStopWhenFull) {
        throw Failure(join(error.what(),
                           "; stopped because train.on_full_disk is \"stop\": make room and "
                           "resume the run"));
      }
      log.warn(join(error.what(), "; waiting for room (Ctrl-C stops the run)"));
      waited = true;
      pause();
    }
  }
}

}  // namespace adassl::training
