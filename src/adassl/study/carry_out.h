#pragma once

#include <filesystem>

#include "adassl/storage/run_directory.h"
#include "adassl/study/experiment.h"
#include "adassl/study/run.h"
#include "adassl/training/log.h"

/// What happens in a run directory between its creation and its page.
namespace adassl::study {

/// Trains the run from its newest checkpoint (or, if it is not resumed, from the start), evaluates
/// it and writes its page. If a sample is lost meanwhile, ends with a line that says how to go on.
RunOutcome carry_out(Experiment& experiment, const storage::RunDirectory& run, bool resumed,
                     const Conduct& conduct);

/// Calls conduct.write_page, also when the disk is full at first.
void write_page(const Experiment& experiment, const storage::RunDirectory& run,
                const Conduct& conduct, training::Log& log);

/// Removes status.json at the end of its scope, even after an exception.
class StatusGone {
 public:
  explicit StatusGone(const storage::RunDirectory& run) : path_(run.status()) {}
  ~StatusGone() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  StatusGone(const StatusGone&) = delete;
  StatusGone& operator=(const StatusGone&) = delete;

 private:
  std::filesystem::path path_;
};

}  // namespace adassl::study
