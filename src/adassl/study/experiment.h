#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/data/ahead.h"
#include "adassl/data/source.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/model/method.h"
#include "adassl/parts/resolve.h"
#include "adassl/study/tables.h"

namespace adassl::study {

/// Everything that one configuration describes, built and checked, but not yet trained.
struct Experiment : parts::Settings {
  std::string resolved;                // the configuration with every default written out, as TOML
  std::string hash;                    // of that text
  std::string precision;               // that is actually used; fp32 is the fallback for bf16
  std::vector<std::string> fallbacks;  // which requests were not met, and why
  nn::ComputePtr computation;          // how the method computes
  std::shared_ptr<data::Source> source;
  std::shared_ptr<model::Method> method;
  /// Another such method with the weights that the seed draws; files of weights are not read.
  std::function<std::shared_ptr<model::Method>()> untrained;
  std::vector<std::shared_ptr<evaluation::Evaluation>> evaluations;  // those of evaluate.suites
  std::vector<std::shared_ptr<evaluation::Evaluation>> watch;  // those of evaluate.watch, small
};

/// How much data is made ahead, in training as in evaluations.
data::Prefetch prefetch_of(const parts::LoopOptions& options);

/// The computation that the options ask for; Error for a device that is not there.
nn::ComputePtr compute_of(const parts::ComputeOptions& options);

/// Where the parameters of a method come from.
enum class Begin {
  kFresh,     // drawn from the seed, or read from files that the configuration names
  kRestored,  // from a checkpoint, later: such files may be gone by now and are not read
};

/// Reads the whole configuration and builds its parts; Error for a key that nobody reads.
Experiment build_experiment(Config config, const Tables& tables = {}, Begin begin = Begin::kFresh);

/// The trained or untrained method of an experiment, as evaluations see it.
evaluation::Subject subject_of(const Experiment& experiment);

}  // namespace adassl::study
