#pragma once

namespace adassl::training {

/// Makes SIGINT, SIGTERM and SIGHUP (a closed terminal) ask the run to save and stop. A further
/// signal ends the process at once if it arrives more than two seconds later. An earlier one counts
/// as the same request, because make, timeout and schedulers signal a process and then also its
/// group. SIGPIPE is ignored: the run goes on if nobody reads its output.
void catch_interrupts();
/// The signal that was received, or 0.
int interrupted();

constexpr const char* kStoppedBeforeSteps =
    "stopped before the first step; run the same command again, or 'adassl resume' if there is a "
    "run\n";

/// While an object of this class exists, there is nothing to save: such a signal, also one that was
/// received before, ends the process at once, with exit code 128 + signal and this line on stderr,
/// which ends with a newline.
class NothingToSave {
 public:
  explicit NothingToSave(const char* line);
  ~NothingToSave();
  NothingToSave(const NothingToSave&) = delete;
  NothingToSave& operator=(const NothingToSave&) = delete;
};

}  // namespace adassl::training
