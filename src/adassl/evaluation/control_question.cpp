#include "adassl/evaluation/control_question.h"

#include <algorithm>

#include "adassl/evaluation/columns.h"
#include "adassl/kernels/nearest.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {

Seen look_at(const Subject& subject, const std::string& population, const std::string& name,
             int64_t count) {
  auto& method = require<model::Predicts>(subject.method);
  const std::vector<Column> columns = subject.source.shape().columns;
  const int64_t there = subject.source.population_size(population).value_or(count);
  count = std::min(count, there);
  const auto all = look_at_samples(subject, population, name, count, [&](const Samples& samples) {
    const auto blocks = [&](auto f) { return in_blocks(nn::view(samples.x), f); };
    return std::vector{blocks([&](const Tensor& x) { return method.encode(x); }),
                       nn::normalise(blocks([&](const Tensor& x) {
                                       return method.target(x);
                                     }).to(torch::kFloat64)),
                       targets_of(columns, samples)};
  });
  return {all[0], all[1], all[2]};
}

Searched::Searched(const Seen& looked_at, const std::vector<Column>& known)
    : seen(looked_at), columns(known), rows(nn::array_of(looked_at.target)) {
  const Tensor centred = seen.targets - seen.targets.mean(0);
  variances = sum_by_factor(columns, centred.square().mean(0, /*keepdim=*/true)).squeeze(0);
}

Tensor in_deviations(const std::vector<Column>& columns, const Tensor& differences,
                     const Tensor& variances) {
  return (sum_by_factor(columns, differences.square()) / variances.clamp_min(1e-12)).sqrt();
}

Tensor Question::asked() const {
  return torch::arange(first, first + count, torch::kInt64).repeat_interleave(draws, 0);
}

Tensor Question::retrieve(const Tensor& r) const {
  const Array queries = nn::array_of(nn::normalise(method.predict(starts(), r)));
  const auto found = kernels::nearest_rows({queries.values, queries.columns()},
                                           {gallery.rows.values, gallery.rows.columns()}, 2);
  std::vector<int64_t> out;
  for (size_t i = 0; i < found.size(); ++i) {
    const int64_t self = first + static_cast<int64_t>(i) / draws;
    out.push_back(found[i][found[i].front().row == self ? 1 : 0].row);
  }
  return torch::tensor(out, torch::kInt64);
}

Tensor Question::apart(const Tensor& a, const Tensor& b) const {
  const Tensor& targets = gallery.seen.targets;
  return in_deviations(gallery.columns, targets.index_select(0, a) - targets.index_select(0, b),
                       gallery.variances);
}

Tensor Question::apart_from_x(const Tensor& samples) const {
  return apart(asked(), samples).view({count, draws, -1}).mean(1);
}

}  // namespace adassl::evaluation
