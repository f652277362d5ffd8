#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adassl/core/config.h"
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
  std::shared_ptr<data::Source> source;
  std::shared_ptr<model::Method> method;
  std::vector<std::shared_ptr<evaluation::Evaluation>> evaluations;  // those of evaluate.suites
  std::shared_ptr<evaluation::Evaluation> watch;  // the online probe; null where there is none
};

/// Reads the whole configuration and builds its parts; Error for a key that nobody reads. Sets the
/// kernels, the precision and the number of threads of the process.
Experiment build_experiment(Config config, const Tables& tables = {});

}  // namespace adassl::study
