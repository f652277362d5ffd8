#include "adassl/evaluation/utilisation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adassl/evaluation/matching.h"
#include "adassl/model/latent_metrics.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

Metric kl_metric() {
  return {.name = "kl",
          .label = "KL",
          .about = "nats that r takes from the second view",
          .section = kLatentSection,
          .order = 2};
}

Metric kl_per_dim_metric() {
  return {.name = "kl_per_dim",
          .label = "KL of each dimension",
          .unit = "nats",
          .section = kLatentSection,
          .order = 1};
}

Metric gate_rates_metric() {
  return {.name = "gate_rate_per_dim",
          .label = "how often each gate is open",
          .range = kShareRange,
          .section = kLatentSection,
          .order = 2};
}

}  // namespace

void Utilisation::run(const Subject& subject, Results& results) const {
  auto& infers = require<model::InfersR>(subject.method);
  const auto batches = static_cast<double>(options_.batches);
  double inferred = 0;
  double imagined = 0;
  model::Usage last;
  Tensor use;  // [d_r] KL, or the share of pairs with an open gate
  const auto stream_of = [&](int64_t i) {
    return subject.stream("utilisation", static_cast<uint64_t>(i));
  };
  // A pair that is in a batch twice would be its own negative.
  const int64_t pairs = subject.source.pair_count().value_or(options_.batch);
  const int64_t batch_size = std::min(options_.batch, std::max<int64_t>(2, pairs));
  data::Ahead<Batch> ahead(
      [&](int64_t i) { return subject.job_of_pairs(stream_of(i).named("pairs"), batch_size); },
      options_.batches, subject.prefetch);
  for (int64_t i = 0; i < options_.batches; ++i) {
    const auto stream = stream_of(i);
    const Batch batch = ahead.take(i);
    last = infers.usage(model::views(batch), stream.named("noise"));
    inferred += last.inferred / batches;
    imagined += last.imagined / batches;
    const Tensor mean = model::use_of_dimensions(last.draws, last.cost) / batches;
    use = use.defined() ? use + mean : mean;
    if (!subject.watching) continue;
    add_matching(subject.method, batch, last.draws.front().r, stream.named("imagined"), results);
  }
  const std::vector<double> per_dim = nn::doubles(use);
  const double total = std::accumulate(per_dim.begin(), per_dim.end(), 0.0);
  results.add({.name = "objective",
               .label = "objective, with r inferred",
               .about = "the loss without the cost of r, on new pairs or on those of training"},
              inferred);
  const bool bounded = per_dim.empty() || last.cost == model::Cost::kNats;
  if (last.candidates > 0 && bounded) {
    results.add({.name = "mi_bound",
                 .label = "MI bound",
                 .about = "lower bound on what a pair shares, in nats",
                 .section = kGeometrySection,
                 .order = 4},
                std::log(static_cast<double>(last.candidates)) - inferred - total);
  }
  if (per_dim.empty()) return;
  results.add({.name = "explained_share",
               .label = "share of the loss that r explains",
               .section = kLatentSection,
               .order = 5},
              1 - inferred / imagined);
  if (last.cost == model::Cost::kNone) return;
  constexpr double kActive = 0.01;
  const bool gated = last.cost == model::Cost::kGates;
  if (!gated || !subject.watching) {
    results.add(gated ? model::gates_open_metric() : kl_metric(), total);
  }
  const auto active =
      std::count_if(per_dim.begin(), per_dim.end(), [](double value) { return value > kActive; });
  results.add({.name = "active_dims",
               .label = "active dimensions",
               .about = "dimensions of r in use",
               .section = kLatentSection,
               .order = 1},
              static_cast<double>(active));
  if (subject.watching) return;
  results.add(model::r_entropy_metric(), model::entropy(use).item<double>());
  results.add(gated ? gate_rates_metric() : kl_per_dim_metric(), per_dim);
}

}  // namespace adassl::evaluation
