#include "adassl/evaluation/groups_of_r.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adassl/core/text.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

Tensor direction(model::Predicts& method, const Tensor& e, const Tensor& r) {
  return nn::normalise(method.predict(e, r).to(torch::kFloat64));
}

/// What sampling one dimension does.
struct Effect {
  int64_t dim = 0;
  Tensor v;          // [n, d]
  double moves = 0;  // root mean square length of v
};

/// The effects of the dimensions that move something, in the order of the dimensions.
std::vector<Effect> effects(model::Predicts& method, const Tensor& e, const GroupOptions& options,
                            const random::Stream& noise) {
  const Tensor starts = e.repeat_interleave(options.draws, 0);
  const Tensor still = direction(method, starts, method.expected_r(starts));
  std::vector<Effect> out;
  for (int64_t dim = 0; dim < method.r_width(); ++dim) {
    const Tensor r = sample_some(method, starts, {dim}, noise.named(std::to_string(dim)));
    const Tensor v = direction(method, starts, r) - still;
    out.push_back({dim, v, std::sqrt(v.square().sum(1).mean().item<double>())});
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &Effect::moves);
  const double least = out.empty() ? 0 : std::max(options.idle * out.front().moves, 1e-12);
  std::erase_if(out, [&](const Effect& effect) { return effect.moves < least; });
  if (static_cast<int64_t>(out.size()) > options.most) {
    out.resize(static_cast<size_t>(options.most));
  }
  std::ranges::sort(out, {}, &Effect::dim);
  return out;
}

/// <E[v_i v_i^T], E[v_j v_j^T]> is the mean of (v_i . v_j)^2 over all pairs of rows.
std::vector<std::vector<double>> likeness(const std::vector<Effect>& effects) {
  const auto inner = [&](size_t i, size_t j) {
    return effects[i].v.matmul(effects[j].v.t()).square().mean().item<double>();
  };
  const size_t n = effects.size();
  std::vector<std::vector<double>> out(n, std::vector<double>(n, 1.0));
  std::vector<double> length(n);
  for (size_t i = 0; i < n; ++i) length[i] = std::sqrt(inner(i, i));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < i; ++j) out[i][j] = out[j][i] = inner(i, j) / (length[i] * length[j]);
  }
  return out;
}

using Members = std::vector<size_t>;  // numbers of effects

double linkage(const Members& a, const Members& b, const std::vector<std::vector<double>>& alike) {
  double sum = 0;
  for (const size_t i : a) {
    for (const size_t j : b) sum += alike[i][j];
  }
  return sum / static_cast<double>(a.size() * b.size());
}

/// Joins the two groups that are most alike, as long as they are alike enough.
std::vector<Members> linked(const std::vector<std::vector<double>>& alike, double enough) {
  std::vector<Members> groups;
  for (size_t i = 0; i < alike.size(); ++i) groups.push_back({i});
  while (groups.size() > 1) {
    size_t left = 0, right = 1;
    double best = -1;
    for (size_t a = 0; a < groups.size(); ++a) {
      for (size_t b = a + 1; b < groups.size(); ++b) {
        const double here = linkage(groups[a], groups[b], alike);
        if (here > best) best = here, left = a, right = b;
      }
    }
    if (best < enough) break;
    groups[left].insert(groups[left].end(), groups[right].begin(), groups[right].end());
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(right));
  }
  return groups;
}

std::string plain_name(const std::vector<int64_t>& dims) {
  std::string out;
  for (const int64_t dim : dims) out += join(out.empty() ? "r" : " + r", dim + 1);
  return out;
}

/// Adds dimensions that move predictions by this much.
void add(GroupOfR& group, const std::vector<int64_t>& dims, double moves) {
  group.dims.insert(group.dims.end(), dims.begin(), dims.end());
  std::ranges::sort(group.dims);
  group.moves = std::hypot(group.moves, moves);
}

}  // namespace

Tensor sample_some(model::Predicts& method, const Tensor& e, const std::vector<int64_t>& dims,
                   const random::Stream& noise) {
  Tensor r = method.expected_r(e).clone();
  const Tensor sampled = method.imagine_r(e, noise);
  for (const int64_t dim : dims) r.select(1, dim).copy_(sampled.select(1, dim));
  return r;
}

std::vector<GroupOfR> groups_of_r(model::Predicts& method, const Tensor& e,
                                  const GroupOptions& options, const random::Stream& noise) {
  const std::vector<Effect> moving = effects(method, e, options, noise);
  std::vector<GroupOfR> out;
  for (const Members& members : linked(likeness(moving), options.alike)) {
    GroupOfR group;
    for (const size_t i : members) add(group, {moving[i].dim}, moving[i].moves);
    group.name = plain_name(group.dims);
    out.push_back(std::move(group));
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &GroupOfR::moves);
  return out;
}

std::vector<GroupOfR> joined_by_factor(const std::vector<GroupOfR>& groups,
                                       const std::vector<int64_t>& factors,
                                       const std::vector<std::string>& names) {
  std::vector<GroupOfR> out;
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto same =
        factors[g] < 0 ? out.end() : std::ranges::find(out, factors[g], &GroupOfR::factor);
    if (same != out.end()) {
      add(*same, groups[g].dims, groups[g].moves);
      continue;
    }
    out.push_back(groups[g]);
    if (factors[g] < 0) continue;
    out.back().factor = factors[g];
    out.back().name = names[static_cast<size_t>(factors[g])];
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &GroupOfR::moves);
  return out;
}

}  // namespace adassl::evaluation
