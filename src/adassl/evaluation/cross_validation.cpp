#include "adassl/evaluation/cross_validation.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "adassl/core/error.h"
#include "adassl/evaluation/least_squares.h"
#include "adassl/evaluation/logistic.h"
#include "adassl/evaluation/neighbours.h"

namespace adassl::evaluation {
namespace {

double share_equal(const Tensor& predicted, const Tensor& truth) {
  return (predicted == truth).to(torch::kFloat64).mean().item<double>();
}

/// The numbers of the samples for which `in` holds.
template <class In>
Tensor rows_where(const std::vector<int64_t>& folds, In in) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < folds.size(); ++i) {
    if (in(folds[i])) out.push_back(static_cast<int64_t>(i));
  }
  return torch::tensor(out, torch::kInt64);
}

}  // namespace

std::vector<int64_t> group_folds(const std::vector<int64_t>& groups, int64_t folds,
                                 const random::Stream& stream) {
  std::map<int64_t, std::vector<size_t>> members;
  int64_t alone = -1;
  for (size_t i = 0; i < groups.size(); ++i)
    members[groups[i] < 0 ? alone-- : groups[i]].push_back(i);
  ADASSL_CHECK(static_cast<int64_t>(members.size()) >= folds, "[probe] expected at least ", folds,
               " groups for ", folds, " folds, got ", members.size());
  struct Dealt {
    const std::vector<size_t>* members;
    double draw;
  };
  std::vector<Dealt> order;
  random::Sequence draws = stream.at(0);
  for (const auto& [group, list] : members) order.push_back({&list, draws.uniform()});
  std::ranges::stable_sort(order, [](const Dealt& a, const Dealt& b) {
    return a.members->size() != b.members->size() ? a.members->size() > b.members->size()
                                                  : a.draw < b.draw;
  });
  std::vector<size_t> sizes(static_cast<size_t>(folds));
  std::vector<int64_t> out(groups.size());
  for (const Dealt& group : order) {
    const auto smallest = std::ranges::min_element(sizes) - sizes.begin();
    for (const size_t i : *group.members) out[i] = smallest;
    sizes[static_cast<size_t>(smallest)] += group.members->size();
  }
  return out;
}

CrossValidated cross_validate(const Tensor& x, const Tensor& values, int64_t classes,
                              const std::vector<int64_t>& folds, int64_t neighbours) {
  CrossValidated out;
  const int64_t count = *std::ranges::max_element(folds) + 1;
  if (classes > 0) {
    const Tensor counts = torch::bincount(values.to(torch::kInt64));
    out.chance = counts.max().item<double>() / static_cast<double>(values.numel());
  }
  for (int64_t fold = 0; fold < count; ++fold) {
    const Tensor fit = rows_where(folds, [&](int64_t of) { return of != fold; });
    const Tensor score = rows_where(folds, [&](int64_t of) { return of == fold; });
    const Tensor known_x = x.index_select(0, fit).to(torch::kFloat64);
    const Tensor asked_x = x.index_select(0, score).to(torch::kFloat64);
    const Tensor known = values.index_select(0, fit);
    const Tensor truth = values.index_select(0, score);
    if (classes == 0) {
      const auto columns = [](const Tensor& of) {  // [N, 1] or [N, 2]
        return of.to(torch::kFloat64).view({of.size(0), -1});
      };
      const Tensor predicted = least_squares(known_x, columns(known))(asked_x);
      const Tensor wanted = columns(truth);
      const Tensor error = (wanted - predicted).square().sum();
      const Tensor total = (wanted - wanted.mean(0)).square().sum();
      out.linear.push_back((1 - error / total).item<double>());
      continue;
    }
    const Tensor labels = known.to(torch::kInt64).contiguous();
    const Classifier classifier = fit_logistic(known_x, labels, classes, {.l2 = 1e-4});
    out.linear.push_back(share_equal(classifier.classify(asked_x), truth.to(torch::kInt64)));
    const Neighbours near = find_neighbours(asked_x, known_x, neighbours);
    out.knn.push_back(share_equal(vote(near, labels, classes), truth.to(torch::kInt64)));
  }
  return out;
}

}  // namespace adassl::evaluation
