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
  std::string resolved;   // the configuration with every default written out, as TOML
  std::string hash;       // of that text
  std::string precision;  // that something of it has: bf16, or fp32 where bf16 was wished in vain
  std::vector<std::string> fallbacks;  // what is not done as was wished, and why
  std::shared_ptr<data::Source> source;
  std::shared_ptr<model::Method> method;
  std::vector<std::shared_ptr<evaluation::Evaluation>> evaluations;  // those of evaluate.suites
  std::shared_ptr<evaluation::Evaluation> watch;  // the online probe; null where there is none
};

/// Reads every key, complains about those that nobody reads, sets the number of threads.
Experiment build_experiment(Config config, const Tables& tables = {});

}  // namespace adassl::study
