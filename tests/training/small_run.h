#pragma once

#include "adassl/study/experiment.h"
#include "adassl/training/checkpoint.h"
#include "adassl/training/loop.h"
#include "adassl/training/observers.h"

namespace adassl::testing {

/// A small model, its optimiser and its state, ready to be trained.
struct SmallRun {
  explicit SmallRun(const std::string& method = "adassl-v", int64_t steps = 12,
                    const std::vector<std::string>& overrides = {})
      : SmallRun(build(method, steps, overrides)) {}
  explicit SmallRun(study::Experiment of)
      : experiment(std::move(of)),
        state(*experiment.method, experiment.optimizer, experiment.computation) {}

  void train(const std::vector<std::shared_ptr<training::Observer>>& observers = {}) {
    training::run_loop(experiment.loop, experiment.seed, *experiment.source, *experiment.method,
                       state, observers);
  }

  static study::Experiment build(const std::string& method, int64_t steps,
                                 const std::vector<std::string>& overrides) {
    Config config = Config::from_text("", "small run");
    config.override_with("method=" + method);
    config.override_with("train.steps=" + std::to_string(steps));
    for (const char* assignment :
         {"train.batch=32", "data.mixing_candidates=10", "encoder.hidden=[16]",
          "evaluate.suites=[]", "compute.threads=1"}) {
      config.override_with(assignment);
    }
    for (const std::string& assignment : overrides) config.override_with(assignment);
    return study::build_experiment(config);
  }

  study::Experiment experiment;
  training::State state;
};

}  // namespace adassl::testing
