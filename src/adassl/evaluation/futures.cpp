#include "adassl/evaluation/futures.h"

#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/gallery.h"
#include "adassl/evaluation/neighbours.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

Tensor lookup(model::Predicts& method, const Gallery& pool, const Tensor& x, int64_t each,
              int64_t draws, const random::Stream& noise) {
  const Tensor e = in_blocks(x, [&](const Tensor& block) { return method.encode(block); });
  // All draws in one call: row s * draws + k is draw k of source s.
  const Tensor starts = e.repeat_interleave(draws, 0);
  const Tensor predicted = method.predict(starts, method.imagine_r(starts, noise));
  std::vector<Tensor> out;
  for (int64_t s = 0; s < x.size(0); ++s) {
    out.push_back(nearest(predicted.narrow(0, s * draws, draws), pool.rows(s * each, each)));
  }
  return torch::stack(out);
}

}  // namespace

Tensor imagined_futures(model::Predicts& method, const Futures& futures, int64_t draws,
                        const random::Stream& noise) {
  const int64_t each = futures.x_plus.rows() / futures.x.rows();
  return lookup(method, gallery(method, futures.x_plus), nn::view(futures.x), each, draws, noise);
}

double expected_distinct(const std::vector<int64_t>& values, int64_t draws) {
  std::map<int64_t, int64_t> counts;
  for (const int64_t value : values) ++counts[value];
  double sum = 0;
  for (const auto& [value, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(values.size());
    sum += 1 - std::pow(1 - share, draws);
  }
  return sum;
}

double mean_spread(const Tensor& values) { return values.std(1).mean().item<double>(); }

std::string SampledFutures::obstacle(const Subject& subject) const {
  if (!subject.source.shape().continues)
    return "the data does not provide several futures of one x";
  return obstacle_without<model::Predicts>(subject);
}

void SampledFutures::run(const Subject& subject, Results& results) const {
  auto& predicts = require<model::Predicts>(subject.method);
  const Futures futures =
      subject.source.futures(subject.stream("futures"), 0, options_.sources, options_.futures);
  const int64_t sources = options_.sources;
  const int64_t each = options_.futures;
  const Gallery pool = gallery(predicts, futures.x_plus);
  const Tensor found = lookup(predicts, pool, nn::view(futures.x), each, options_.draws,
                              subject.stream("futures/noise"));  // [S, draws]
  double distinct = 0;
  double expected = 0;
  for (int64_t s = 0; s < sources; ++s) {
    const Tensor row = found[s].contiguous();
    distinct += static_cast<double>(
        std::set<int64_t>(row.data_ptr<int64_t>(), row.data_ptr<int64_t>() + row.numel()).size());
    const auto first = pool.distinct.of_row.begin() + s * each;
    expected += expected_distinct({first, first + each}, options_.draws);
  }
  const std::string about = fmt::format("different ones, of {} draws", options_.draws);
  results.add({.name = "distinct_futures", .label = "futures imagined", .about = about},
              distinct / static_cast<double>(sources));
  results.add({.name = "true_distinct", .label = "futures there are", .about = about},
              expected / static_cast<double>(sources));
  if (futures.factors_plus.empty()) return;
  const Tensor truth = nn::view(futures.factors_plus).to(torch::kFloat64);  // [S n, F]
  const Tensor offsets = torch::arange(sources, torch::kInt64).unsqueeze(1) * each;
  const Tensor retrieved = truth.index_select(0, (found + offsets).flatten());
  const double spread = mean_spread(truth.view({sources, each, -1}));
  if (spread == 0) return;
  results.add(
      {.name = "future_spread", .label = "spread of futures", .about = "beside the truth's"},
      mean_spread(retrieved.view({sources, options_.draws, -1})) / spread);
}

}  // namespace adassl::evaluation
