#pragma once

#include <vector>

#include "adassl/study/study.h"

namespace adassl::study {

struct ReproduceOptions {
  int64_t jobs = 1;   // maximum number of runs at a time
  int64_t cores = 1;  // for all runs together; a resumed run keeps its number of threads
};

struct ReproduceOutcome {
  int64_t failed = 0;          // runs that ended with an error
  bool users_mistake = false;  // whether one of these had exit code 2
  int signal = 0;              // the signal that stopped us, or 0
};

/// Completes the runs: starts new ones and resumes unfinished ones, each in a process of its own
/// that executes this same program, `jobs` at a time. Progress goes to stderr. Error when at the
/// start a directory holds a run of another configuration; if one appears later, only that run
/// fails.
ReproduceOutcome run_all(const std::vector<StudyRun>& runs, const ReproduceOptions& options);

/// Leaves out the runs whose directory holds a run of another configuration, with a line on stderr
/// for each.
std::vector<StudyRun> without_others(std::vector<StudyRun> runs);

}  // namespace adassl::study
