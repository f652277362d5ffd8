#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "adassl/kernels/contrastive.h"
#include "kernels/cases.h"

/// Contrastive problems drawn at random, and their definition in double precision.
namespace adassl::kernels {

using Weights = ContrastiveProblem::Weights;

struct Case {
  ContrastiveProblem problem;
  std::vector<float> q, targets, own, concentration;
  std::string what;

  void point() {
    problem.q = q.data();
    problem.targets = targets.data();
    problem.own = own.empty() ? nullptr : own.data();
    problem.concentration = concentration.data();
  }
};

struct Answer {
  double loss = 0;
  std::vector<float> q, targets, own, concentration;
  bool operator==(const Answer&) const = default;
};

inline Answer fused(const Case& c, ContrastiveWorkspace& workspace) {
  Answer out;
  out.q.resize(c.q.size());
  out.targets.resize(c.targets.size());
  out.own.resize(c.own.size());
  out.concentration.resize(c.concentration.size());
  const ContrastiveGradients gradients{out.q.data(), out.targets.data(), out.own.data(),
                                       out.concentration.data()};
  out.loss = contrastive(c.problem, &gradients, workspace);
  return out;
}

inline Answer fused(const Case& c) {
  ContrastiveWorkspace workspace;
  return fused(c, workspace);
}

struct Exact {
  double loss = 0;
  std::vector<double> q, targets, own, concentration;
  // The same sums over the absolute values of the terms. Where terms cancel, the rounding error is
  // proportional to these.
  std::vector<double> q_size, targets_size, own_size, concentration_size;
};

/// The definition, in double precision and without any of the kernel's rearrangements: logits from
/// differences, a softmax over the whole matrix, the chain rule term by term.
inline Exact exact(const Case& c) {
  const ContrastiveProblem& p = c.problem;
  const auto n = static_cast<size_t>(p.rows);
  const auto d = static_cast<size_t>(p.width);
  const size_t m = p.own == nullptr ? n : 2 * n;
  const auto candidate = [&](size_t j) { return j < n ? p.targets + j * d : p.own + (j - n) * d; };
  const auto unit = [&](const float* row) {
    std::vector<double> out(row, row + d);
    double square = 0;
    for (const double value : out) square += value * value;
    const double norm = p.hypersphere ? std::max(std::sqrt(square), 1e-12) : 1;
    for (double& value : out) value /= norm;
    return out;
  };
  std::vector<std::vector<double>> u, v;
  for (size_t i = 0; i < n; ++i) u.push_back(unit(p.q + i * d));
  for (size_t j = 0; j < m; ++j) v.push_back(unit(candidate(j)));
  const auto slot = [&](size_t i, size_t f) {
    return p.weights == Weights::kOne ? 0 : (p.weights == Weights::kRows ? i * d + f : f);
  };
  const double tau = p.tau;
  const auto weight = [&](size_t i, size_t f) { return p.concentration[slot(i, f)] / tau; };

  Exact out;
  std::vector<std::vector<double>> du(n, std::vector<double>(d)), dv(m, std::vector<double>(d));
  auto du_size = du;
  auto dv_size = dv;
  out.concentration.resize(c.concentration.size());
  out.concentration_size.resize(c.concentration.size());
  for (size_t i = 0; i < n; ++i) {
    std::vector<double> logits(m);
    std::vector<bool> inside(m, true);
    double top = -std::numeric_limits<double>::infinity();
    for (size_t j = 0; j < m; ++j) {
      for (size_t f = 0; f < d; ++f) {
        const double delta = u[i][f] - v[j][f];
        logits[j] += p.cosine ? weight(i, f) * u[i][f] * v[j][f] : -weight(i, f) * delta * delta;
      }
      if (p.clamp > 0) {
        const double limit = p.clamp;
        inside[j] = std::abs(logits[j]) <= limit;
        logits[j] = std::clamp(logits[j], -limit, limit);
      }
      if (j == n + i) logits[j] = -std::numeric_limits<double>::infinity();
      top = std::max(top, logits[j]);
    }
    double others = 0;  // without the positive, so that nothing cancels
    for (size_t j = 0; j < m; ++j) others += j == i ? 0 : std::exp(logits[j] - top);
    const double own = std::exp(logits[i] - top);
    out.loss += top == logits[i] ? std::log1p(others) : std::log(own + others) + top - logits[i];
    for (size_t j = 0; j < m; ++j) {
      if (!inside[j] || j == n + i) continue;
      const double share = j == i ? -others : std::exp(logits[j] - top);
      const double g = share / (own + others) / static_cast<double>(n);
      for (size_t f = 0; f < d; ++f) {
        const double w = weight(i, f);
        const double delta = u[i][f] - v[j][f];
        du[i][f] += g * (p.cosine ? w * v[j][f] : -2 * w * delta);
        dv[j][f] += g * (p.cosine ? w * u[i][f] : 2 * w * delta);
        out.concentration[slot(i, f)] += g * (p.cosine ? u[i][f] * v[j][f] : -delta * delta) / tau;
        const double size = std::abs(g) * (std::abs(u[i][f]) + std::abs(v[j][f]));
        du_size[i][f] += size * w;
        dv_size[j][f] += size * w;
        out.concentration_size[slot(i, f)] += size * (std::abs(u[i][f]) + std::abs(v[j][f])) / tau;
      }
    }
  }
  out.loss /= static_cast<double>(n);
  const auto back = [&](const float* row, const std::vector<double>& y,
                        const std::vector<double>& gradient, const std::vector<double>& size,
                        std::vector<double>& to, std::vector<double>& size_to) {
    double square = 0;
    double along = 0;
    for (size_t f = 0; f < d; ++f) {
      square += static_cast<double>(row[f]) * row[f];
      along += gradient[f] * y[f];
    }
    const bool held = std::sqrt(square) <= 1e-12;
    const double norm = std::max(std::sqrt(square), 1e-12);
    for (size_t f = 0; f < d; ++f) {
      to.push_back(p.hypersphere ? (gradient[f] - (held ? 0 : along * y[f])) / norm : gradient[f]);
      size_to.push_back(p.hypersphere ? size[f] / norm : size[f]);
    }
  };
  for (size_t i = 0; i < n; ++i) back(p.q + i * d, u[i], du[i], du_size[i], out.q, out.q_size);
  for (size_t j = 0; j < m; ++j) {
    back(candidate(j), v[j], dv[j], dv_size[j], j < n ? out.targets : out.own,
         j < n ? out.targets_size : out.own_size);
  }
  return out;
}

/// Makes the weights so small that no logit is larger than `size`: a float32 logit of size s has a
/// rounding error of 6e-8 s, which the softmax turns into a relative error of its gradient.
inline void shrink(Case& c, double size) {
  const auto longest = [&](const std::vector<float>& rows) {
    double square = 0;
    for (size_t i = 0; i < rows.size(); i += static_cast<size_t>(c.problem.width)) {
      double sum = 0;
      for (size_t f = i; f < i + static_cast<size_t>(c.problem.width); ++f) {
        sum += static_cast<double>(rows[f]) * rows[f];
      }
      square = std::max(square, sum);
    }
    return c.problem.hypersphere ? 1 : std::sqrt(square);
  };
  const double q = longest(c.q);
  const double k = std::max(longest(c.targets), longest(c.own));
  const float weight = *std::max_element(c.concentration.begin(), c.concentration.end());
  const double bound = weight / c.problem.tau * (q + k) * (q + k);
  if (bound <= size) return;
  for (float& value : c.concentration) value *= static_cast<float>(size / bound);
}

/// Sizes around the edges of blocks, panels and bands, and all kinds of rows.
inline Case random_case(int seed) {
  Draws draw(seed);
  Case c;
  ContrastiveProblem& p = c.problem;
  const int64_t sizes[] = {
      1, 2, 3, 5, 12, 13, 63, 64, 65, draw.integer(1, 40), draw.integer(40, 200)};
  const int64_t widths[] = {1, 2, 5, 6, 7, 11, 16, 23, draw.integer(1, 40)};
  p.rows = sizes[draw.integer(0, std::size(sizes) - 1)];
  p.width = widths[draw.integer(0, std::size(widths) - 1)];
  p.hypersphere = draw.coin();
  p.cosine = draw.coin(0.3);
  p.weights = static_cast<Weights>(draw.integer(0, 2));
  p.tau = draw.coin() ? 0.1F : 1.0F;
  if (p.cosine && draw.coin()) p.clamp = static_cast<float>(draw.uniform(0.5, 20));
  const int64_t count = p.rows * p.width;
  c.q = draw.normals(count);
  c.targets = draw.normals(count);
  if (draw.coin(0.7)) {  // pairs that belong together
    for (int64_t i = 0; i < count; ++i) c.targets[i] = c.q[i] + 0.3F * c.targets[i];
  }
  if (draw.coin(0.4)) c.own = draw.normals(count);
  const int64_t weights =
      p.weights == Weights::kOne ? 1 : (p.weights == Weights::kRows ? count : p.width);
  for (int64_t i = 0; i < weights; ++i) {
    c.concentration.push_back(static_cast<float>(draw.uniform(0.2, 3)));
  }
  c.what = "case " + std::to_string(seed) + ": N " + std::to_string(p.rows) + ", d " +
           std::to_string(p.width);
  switch (draw.integer(0, 9)) {
    case 0:  // rows that coincide
      for (int64_t i = p.width; i < count; ++i) c.targets[i] = c.targets[i % p.width];
      c.what += ", all-equal targets";
      break;
    case 1:
      for (int64_t i = p.width; i < count; ++i) c.q[i] = c.q[i % p.width];
      c.what += ", all-equal queries";
      break;
    case 2:
      for (int64_t i = 0; i + p.width < count; i += 2 * p.width) {
        std::copy_n(&c.targets[i], p.width, &c.targets[i + p.width]);
      }
      c.what += ", duplicated targets";
      break;
    case 3:  // rows so short that their squares are denormal
      for (int64_t i = 0; i < std::min(count, 2 * p.width); ++i) c.q[i] *= 1e-21F;
      c.what += ", tiny rows";
      break;
    case 4:
      for (int64_t i = 0; i < std::min(count, p.width); ++i) c.targets[i] = 0;
      c.what += ", a row of zeros";
      break;
    default:
      break;
  }
  shrink(c, 20);
  c.point();
  return c;
}

inline void expect_equal(const Case& c, const Answer& answer, const Exact& truth) {
  // A loss below 1 is a difference of logits of size up to 20, and only as precise as those.
  EXPECT_NEAR(answer.loss, truth.loss, 1e-6 * std::max(truth.loss, 1.0)) << c.what;
  const auto expect = [&](const char* name, const std::vector<float>& gradient,
                          const std::vector<double>& right, const std::vector<double>& size) {
    // If a gradient almost vanishes because its terms cancel, their rounding errors remain. The
    // tolerance is then 1e-6 of the terms, a few units in the last place, instead of 1e-5 of the
    // gradient.
    const double floor = 0.1 * norm_of(size);
    EXPECT_LT(relative_error(gradient, right, floor), 1e-5) << c.what << " (" << name << ")";
  };
  expect("q", answer.q, truth.q, truth.q_size);
  expect("targets", answer.targets, truth.targets, truth.targets_size);
  if (!c.own.empty()) expect("own", answer.own, truth.own, truth.own_size);
  expect("concentration", answer.concentration, truth.concentration, truth.concentration_size);
}

inline void expect_exact(const Case& c, const Answer& answer) { expect_equal(c, answer, exact(c)); }

}  // namespace adassl::kernels
