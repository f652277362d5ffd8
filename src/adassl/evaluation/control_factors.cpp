#include "adassl/evaluation/control_factors.h"

#include <cmath>

#include "adassl/evaluation/columns.h"

namespace adassl::evaluation {
namespace {

/// Standard errors above zero from which the mean change of a factor counts. With three of them,
/// one in about 700 factors that a group does not change is mistaken for a changed one.
constexpr double kErrors = 3;

}  // namespace

Tensor readable_factors(const std::vector<Column>& columns, const AffineMap& map,
                        const Tensor& embeddings, const Tensor& targets) {
  return r_squared_by_factor(columns, map(embeddings), targets) > kReadable;
}

int64_t factor_changed(const Tensor& sampled, const Tensor& expected, const Tensor& readable) {
  const Tensor more = sampled - expected;
  const Tensor mean = more.mean(0);
  const Tensor error = more.std(0) / std::sqrt(static_cast<double>(more.size(0)));
  const Tensor changed = readable.logical_and(mean > kErrors * error);
  if (!changed.any().item<bool>()) return -1;
  const Tensor relative = mean / expected.mean(0).clamp_min(1e-12);
  return torch::where(changed, relative, torch::zeros_like(relative)).argmax().item<int64_t>();
}

}  // namespace adassl::evaluation
