#include "adassl/training/loop.h"

#include <chrono>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/data/loader.h"
#include "adassl/training/interrupt.h"

namespace adassl::training {
namespace {

using Clock = std::chrono::steady_clock;

Terms values_of(const model::Loss& loss) {
  const Metric total{.name = "loss",
                     .label = "training loss",
                     .better = Better::kLower,
                     .order = 1,
                     .curve = true};
  Terms out{{total, loss.total.item<double>()}};
  for (const auto& [metric, tensor] : loss.terms) out.emplace_back(metric, tensor.item<double>());
  return out;
}

void require_finite(const Terms& terms, int64_t step) {
  std::string bad;
  for (const auto& [metric, value] : terms) {
    if (!std::isfinite(value)) bad += join(bad.empty() ? "" : ", ", metric.name, " = ", value);
  }
  if (bad.empty()) return;
  throw Failure(join("[step ", step, "] the loss is not finite: ", bad,
                     "; the step was not taken, and the checkpoints are kept. A smaller "
                     "optimizer.learning_rate may help"));
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

void run_loop(const LoopOptions& options, uint64_t seed, const data::Source& source,
              model::Method& method, State& state,
              const std::vector<std::shared_ptr<Observer>>& observers) {
  data::Loader loader(
      {source, seed, options.batch, options.steps, {options.workers, options.prefetch}});
  const int64_t horizon = horizon_of(options);
  method.train();
  bool stopped = false;
  if (state.step < options.steps) {
    const NothingToSave since_the_checkpoint(kStoppedBeforeSteps);
    for (const auto& observer : observers) observer->on_start(state.step);
  }
  while (state.step < options.steps && !stopped) {
    nn::use_threads(*state.compute);  // observers may have computed with another model
    const auto start = Clock::now();
    const Batch batch = loader.take(state.step);
    const double waited = seconds_since(start);

    const int64_t step = state.step + 1;
    state.optimizer.zero_gradients();
    const model::Loss loss = method.forward(model::views(batch), step,
                                            {seed, "noise", static_cast<uint64_t>(state.step)});
    Terms terms = values_of(loss);
    require_finite(terms, step);
    loss.total.backward();
    const double norm = state.optimizer.gradient_norm();
    terms.emplace_back(Metric{.name = "gradient_norm", .label = "norm of the gradient"}, norm);
    require_finite(terms, step);
    state.optimizer.step(step, norm, optim::rate_scale(state.optimizer.options(), step, horizon));
    method.after_step(step, horizon);
    state.step = step;

    const StepReport report{step, options.steps, options.batch, terms, waited};
    for (const auto& observer : observers) {
      if (observer->on_step(report) == Flow::kStop) stopped = true;
    }
  }
  for (const auto& observer : observers) observer->on_end(state.step);
}

void require_memory(const LoopOptions& options, const data::Source& source,
                    const model::Method& method) {
  const data::Source::Shape shape = source.shape();
  double observation = shape.element == Element::kUint8 ? 1 : sizeof(float);  // bytes
  for (const int64_t extent : shape.observation) observation *= static_cast<double>(extent);
  const double pair = 4 * observation + 3.0 * sizeof(float) * static_cast<double>(shape.factors());
  const auto needed = [&](int64_t batch) {
    return 2 * pair * static_cast<double>(batch) + method.bytes(batch);
  };
  const auto available = static_cast<double>(host::available_memory());
  if (needed(options.batch) <= available) return;
  int64_t fitting = 2;
  while (needed(2 * fitting) <= available) fitting *= 2;
  throw Error(join("[train.batch] expected a batch that fits into memory: ", options.batch,
                   " pairs need about ", text::bytes(needed(options.batch)), ", ",
                   text::bytes(available), " are free; try train.batch=", fitting));
}

}  // namespace adassl::training
