#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adassl/core/metric.h"
#include "adassl/data/source.h"
#include "adassl/model/method.h"
#include "adassl/parts/run.h"
#include "adassl/training/checkpoint.h"

namespace adassl::training {

/// Values that are logged, each with the description of its metric.
using Terms = std::vector<std::pair<Metric, double>>;

using parts::horizon_of;
using parts::LoopOptions;

/// The information that observers get after each step.
struct StepReport {
  int64_t step;   // steps done, 1 after the first
  int64_t steps;  // steps to do in all
  int64_t batch;
  const Terms& terms;        // "loss", "ssl", ..., "gradient_norm"
  double data_wait_seconds;  // how long this step waited for data
};

enum class Flow { kContinue, kStop };

/// Logging, probing, checkpoints, stopping: whatever watches a run without changing it.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Called before the first step that is taken now, which is not the run's first if it is resumed.
  virtual void on_start(int64_t /*step*/) {}
  virtual Flow on_step(const StepReport& report) = 0;
  /// Called after the last step, or when an observer has stopped the run.
  virtual void on_end(int64_t /*step*/) {}
};

/// Trains from state.step to options.steps, or until an observer stops it. The batch of step t is
/// drawn from (seed, "pairs", t), the model's noise from (seed, "noise", t). Schedules run
/// over options.horizon. Throws Failure when a loss term or the gradient is not finite; the
/// parameters are not updated then.
void run_loop(const LoopOptions& options, uint64_t seed, const data::Source& source,
              model::Method& method, State& state,
              const std::vector<std::shared_ptr<Observer>>& observers);

/// Error when a training step needs more memory than is available.
void require_memory(const LoopOptions& options, const data::Source& source,
                    const model::Method& method);

}  // namespace adassl::training
