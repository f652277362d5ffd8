#pragma once

#include <vector>

#include "adassl/study/study.h"

namespace adassl::study {

struct ReproduceOptions {
  int64_t jobs = 1;   // at a time, at most
  int64_t cores = 1;  // for all of them; a run that was begun keeps its number of threads
};

struct ReproduceOutcome {
  int64_t failed = 0;          // runs that ended with an error
  bool users_mistake = false;  // and one of these said exit code 2
  int signal = 0;              // that stopped us, or 0
};

/// Runs what is not finished: new runs are started, unfinished ones resumed, each in a process of
/// its own that executes this same program, `jobs` at a time. Progress goes to stderr. Error when
/// at the start a directory holds a run of another configuration; later it is that run's failure.
ReproduceOutcome run_all(const std::vector<StudyRun>& runs, const ReproduceOptions& options);

/// Those whose directory holds no run of another configuration; a line on stderr for each that
/// does.
std::vector<StudyRun> without_others(std::vector<StudyRun> runs);

}  // namespace adassl::study
