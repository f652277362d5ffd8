#pragma once

namespace adassl::training {

/// SIGINT, SIGTERM and SIGHUP (a terminal that was closed) ask a run to save and stop. One that
/// comes more than two seconds later ends the process at once; sooner ones are the same request,
/// which make, timeout and schedulers send to a process and once more to its group. SIGPIPE is
/// ignored: nobody has to read our progress.
void catch_interrupts();
/// The signal that came, or 0.
int interrupted();

/// While one lives, there is nothing to save and such a signal ends the process at once, with exit
/// code 128 + signal.
class NothingToSave {
 public:
  NothingToSave();
  ~NothingToSave();
  NothingToSave(const NothingToSave&) = delete;
  NothingToSave& operator=(const NothingToSave&) = delete;
};

}  // namespace adassl::training
