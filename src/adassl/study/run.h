#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/records/record.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/experiment.h"
#include "adassl/training/loop.h"

namespace adassl::study {

struct RunOutcome {
  int64_t step = 0;
  int signal = 0;  // the signal that stopped the run, or 0
  bool already_finished = false;
};

/// Settings of the training process that are not part of the run's configuration.
struct Conduct {
  double status_pause = 0;  // seconds between two lines of progress; 0: the default
  int64_t threads = 0;      // of a resumed run; 0: as its configuration says
  /// Writes the page of a finished run while it is still locked. It is called again if the disk is
  /// full and train.on_full_disk is "wait".
  std::function<void(const std::filesystem::path&)> write_page = {};
  Tables tables = {};  // the parts that are available
  bool quiet = false;  // nothing is printed except warnings
  /// Further observers of the training; one that stops it leaves a run that can be resumed.
  std::vector<std::shared_ptr<training::Observer>> observers = {};
};

/// Trains a new run in an empty or new directory, then evaluates it.
RunOutcome start_run(Config config, const std::filesystem::path& directory, const Conduct& conduct);

/// Continues exactly from the newest intact checkpoint; a run that was killed before its first
/// checkpoint starts from the beginning. Lines that were logged after the checkpoint are removed
/// and written again. For a finished run, only a missing page is written.
RunOutcome resume_run(const std::filesystem::path& directory, const Conduct& conduct);

/// A run that was restored from its newest intact checkpoint; overrides change the configuration,
/// not the weights.
struct Trained {
  Experiment experiment;
  int64_t step = 0;
};
Trained load_run(const storage::RunDirectory& run, const std::vector<std::string>& overrides = {},
                 const Tables& tables = {});

/// Which weights of a run are evaluated: those of the newest checkpoint, or those that the seed
/// draws.
enum class Weights { kTrained, kUntrained };

/// Evaluates the run and appends the records; returns them.
records::Records evaluate_run(const std::filesystem::path& directory,
                              const std::vector<std::string>& overrides, const Tables& tables = {},
                              Weights weights = Weights::kTrained);

}  // namespace adassl::study
