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

void Utilisation::run(const Subject& subject, Results& results) const {
  auto& infers = require<model::InfersR>(subject.method);
  const auto batches = static_cast<double>(options_.batches);
  double inferred = 0;
  double imagined = 0;
  model::Usage last;
  Tensor use;  // [d_r] KL, or how often the gate is open
  for (int64_t i = 0; i < options_.batches; ++i) {
    const auto stream = subject.stream("utilisation", static_cast<uint64_t>(i));
    const Batch batch = subject.source.pairs(stream.named("pairs"), options_.batch);
    last = infers.usage(model::views(batch), stream.named("noise"));
    inferred += last.inferred / batches;
    imagined += last.imagined / batches;
    const Tensor mean = model::use_of_dimensions(last.draws, last.cost) / batches;
    use = use.defined() ? use + mean : mean;
  }
  const std::vector<double> per_dim = to_vector(use);
  const double total = std::accumulate(per_dim.begin(), per_dim.end(), 0.0);
  results.metrics["objective"] = inferred;
  const bool bounded = per_dim.empty() || last.cost == model::Cost::kNats;
  if (last.candidates > 0 && bounded) {
    results.metrics["mi_bound"] = std::log(static_cast<double>(last.candidates)) - inferred - total;
  }
  if (per_dim.empty()) return;
  results.metrics["explained_share"] = 1 - inferred / imagined;
  if (last.cost == model::Cost::kNone) return;
  constexpr double kActive = 0.01;
  const bool gated = last.cost == model::Cost::kGates;
  results.metrics[gated ? "gates_open" : "kl"] = total;
  results.metrics["active_dims"] = static_cast<double>(
      std::count_if(per_dim.begin(), per_dim.end(), [](double value) { return value > kActive; }));
  results.metrics["r_entropy"] = model::entropy(use).item<double>();
  results.vectors[gated ? "gate_rate_per_dim" : "kl_per_dim"] = per_dim;
}

}  // namespace adassl::evaluation
