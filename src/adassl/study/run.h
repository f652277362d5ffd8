#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/records/record.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/experiment.h"

namespace adassl::study {

struct RunOutcome {
  int64_t step = 0;
  int signal = 0;  // that stopped the run, or 0
  bool already_finished = false;
};

/// What whoever trains a run may say besides its configuration.
struct Conduct {
  double status_pause = 0;  // seconds between two lines of progress; 0: chosen
  int64_t threads = 0;      // of a resumed run; 0: its configuration's
  /// Writes the page of a run that has ended, while it is still locked; a full disk is waited for.
  std::function<void(const std::filesystem::path&)> write_page = {};
  Tables tables = {};  // what the run can be made of
};

/// Trains a new run in an empty or new directory, then evaluates it.
RunOutcome start_run(Config config, const std::filesystem::path& directory, const Conduct& conduct);

/// Continues exactly where the newest whole checkpoint stands; a run killed before its first
/// checkpoint begins anew. What was logged after the checkpoint is cut and written again. A
/// finished run gets its page, should it lack one.
RunOutcome resume_run(const std::filesystem::path& directory, const Conduct& conduct);

/// A run as its newest whole checkpoint has it; overrides change the configuration, not the
/// weights.
struct Trained {
  Experiment experiment;
  int64_t step = 0;
};
Trained load_run(const storage::RunDirectory& run, const std::vector<std::string>& overrides = {},
                 const Tables& tables = {});

/// Evaluates the newest checkpoint and appends the records; returns them.
records::Records evaluate_run(const std::filesystem::path& directory,
                              const std::vector<std::string>& overrides,
                              const Tables& tables = {});

}  // namespace adassl::study
