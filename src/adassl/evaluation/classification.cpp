#include "adassl/evaluation/classification.h"

#include <algorithm>

namespace adassl::evaluation {
namespace {

double share(const Tensor& holds) { return holds.to(torch::kFloat64).mean().item<double>(); }

int64_t rarer_class(const Tensor& truth) { return share(truth == 1) < 0.5 ? 1 : 0; }

}  // namespace

double accuracy(const Tensor& predicted, const Tensor& truth) { return share(predicted == truth); }

double top_k_accuracy(const Tensor& logits, const Tensor& truth, int64_t k) {
  const Tensor own = logits.gather(1, truth.unsqueeze(1));                       // [N, 1]
  const Tensor number = torch::arange(logits.size(1), truth.options());          // [C]
  const Tensor tied = (logits == own).logical_and(number < truth.unsqueeze(1));  // [N, C]
  return share((logits > own).logical_or(tied).sum(1) < k);
}

double minority_f1(const Tensor& predicted, const Tensor& truth) {
  const int64_t rarer = rarer_class(truth);
  const Tensor named = predicted == rarer, there = truth == rarer;
  const auto count = [](const Tensor& of) { return of.sum().item<double>(); };
  const double both = count(named) + count(there);
  return both > 0 ? 2 * count(named.logical_and(there)) / both : 0;
}

double chance_of_top_k(const Tensor& known, const Tensor& truth, int64_t classes, int64_t k) {
  const Tensor counts = torch::bincount(known, {}, classes).unsqueeze(0);
  return top_k_accuracy(counts.expand({truth.size(0), classes}), truth, k);
}

double chance_of_minority_f1(const Tensor& known, const Tensor& truth) {
  const int64_t rarer = rarer_class(truth);
  const double p = share(truth == rarer), q = share(known == rarer);
  return p + q > 0 ? 2 * p * q / (p + q) : 0;
}

}  // namespace adassl::evaluation
