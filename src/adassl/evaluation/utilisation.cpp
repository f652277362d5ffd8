#include "adassl/evaluation/utilisation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

std::vector<double> to_vector(const Tensor& tensor) {
  const Tensor values = tensor.to(torch::kFloat64).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

}  // namespace

double entropy(const std::vector<double>& weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (total <= 0) return 0;
  double sum = 0;
  for (const double weight : weights) {
    if (weight > 0) sum -= weight / total * std::log(weight / total);
  }
  return sum;
}

void Utilisation::run(const Subject& subject, Results& results) const {
  double inferred = 0;
  double imagined = 0;
  double regulariser = 0;
  int64_t candidates = 0;
  Tensor use;  // [d_r] KL, or how often the gate is open
  bool gated = false;
  for (int64_t i = 0; i < options_.batches; ++i) {
    const random::Stream stream(subject.seed, "evaluate/utilisation", static_cast<uint64_t>(i));
    const Batch batch = subject.source.pairs(stream.named("pairs"), options_.batch);
    const auto usage = subject.method.usage(model::views(batch), stream.named("noise"));
    if (!usage) return;
    inferred += usage->inferred / static_cast<double>(options_.batches);
    imagined += usage->imagined / static_cast<double>(options_.batches);
    regulariser += usage->regulariser / static_cast<double>(options_.batches);
    candidates = usage->candidates;
    gated = usage->gates.defined();
    const Tensor mean = (gated ? usage->gates : usage->cost).mean(0) / options_.batches;
    use = use.defined() ? use + mean : mean;
  }
  results.metrics["objective"] = inferred;
  const std::vector<double> per_dim = to_vector(use);
  const double information_cost = gated ? 0 : regulariser;
  if (candidates > 0) {
    results.metrics["mi_bound"] =
        std::log(static_cast<double>(candidates)) - inferred - information_cost;
  }
  if (per_dim.empty()) return;
  const double threshold = 0.01;
  results.metrics["active_dims"] = static_cast<double>(std::count_if(
      per_dim.begin(), per_dim.end(), [&](double value) { return value > threshold; }));
  results.metrics["r_entropy"] = entropy(per_dim);
  results.metrics["explained_share"] = 1 - inferred / imagined;
  results.metrics[gated ? "gates_open" : "kl"] =
      std::accumulate(per_dim.begin(), per_dim.end(), 0.0);
  results.vectors[gated ? "gate_rate_per_dim" : "kl_per_dim"] = per_dim;
}

}  // namespace adassl::evaluation
