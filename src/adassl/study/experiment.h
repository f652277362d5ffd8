#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/data/source.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/model/method.h"
#include "adassl/optim/adamw.h"
#include "adassl/training/loop.h"
#include "adassl/training/observers.h"

namespace adassl::study {

struct EvaluateOptions {
  std::vector<std::string> suites;
  std::vector<int64_t> at = {};
  int64_t probe_samples = 4096;
  void visit(Fields& field) {
    field("suites", suites, "which evaluations, in order; unless given, those that fit the data",
          names(evaluation::evaluations()));
    field("at", at,
          "steps on the way at which the whole evaluation is made too, so that a run that is cut "
          "short leaves records",
          {1, 1e12});
    field("probe_samples", probe_samples, "samples for fitting, and for scoring, an online probe",
          {32, 1e7});
  }
};

struct ComputeOptions {
  int64_t threads = 0;
  std::string kernels = "fused";
  std::string precision = "fp32";
  void visit(Fields& field) {
    field("threads", threads, "how many; 0: all cores", {0, 1024});
    field(
        "kernels", kernels,
        "fused: kernels of our own, the same bits for any number of threads; reference: LibTorch's "
        "operations one by one",
        {"fused", "reference"});
    field("precision", precision,
          "of convolutions and of perceptrons 512 wide; bf16: their operands and what lies between "
          "their layers, with float32 sums and parameters, where kernels of our own are faster so",
          {"fp32", "bf16"});
  }
};

/// Everything that one configuration describes, built and checked, but not yet trained.
struct Experiment {
  std::string method_name;
  std::string resolved;  // the configuration with every default written out, as TOML
  std::string hash;      // of that text
  uint64_t seed = 0;
  ComputeOptions compute;
  std::string precision;  // that something of it has: bf16, or fp32 where bf16 was wished in vain
  std::vector<std::string> fallbacks;  // what is not done as was wished, and why
  training::LoopOptions loop;
  training::ObserverOptions observers;
  optim::AdamW::Options optimizer;
  EvaluateOptions evaluate;
  std::shared_ptr<data::Source> source;
  std::shared_ptr<model::Method> method;
  std::vector<std::shared_ptr<evaluation::Evaluation>> evaluations;
};

/// Reads every key, complains about those that nobody reads, sets the number of threads.
Experiment build_experiment(Config config);

/// All options of a run that belong to no exchangeable part, by section; `adassl list` shows them.
std::vector<std::pair<std::string, std::vector<FieldDescription>>> run_options();

}  // namespace adassl::study
