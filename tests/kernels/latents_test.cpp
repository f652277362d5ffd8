#include "adassl/kernels/latents.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/core/random.h"
#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"
#include "kernels/instruction_sets.h"

namespace adassl::kernels {
namespace {

using Floats = std::vector<float>;

struct Size {
  int64_t rows, dim;
};
// Empty, one element, odd sizes; rows of one vector, of several, and with a remainder; several
// blocks.
const std::vector<Size> kSizes = {{0, 5}, {1, 1}, {1, 5}, {7, 3}, {33, 8}, {5, 21}, {777, 5}};

Floats drawn(const char* purpose, int64_t count, float scale) {
  Floats out(static_cast<size_t>(count));
  auto draws = random::Stream(1, purpose).at(0);
  for (float& x : out) x = scale * static_cast<float>(draws.normal());
  return out;
}

/// The positions in [N, 2d] of the two numbers that belong to element i of [N, d].
struct Halves {
  Halves(size_t i, int64_t dim)
      : left(i / static_cast<size_t>(dim) * static_cast<size_t>(2 * dim) +
             i % static_cast<size_t>(dim)),
        right(left + static_cast<size_t>(dim)) {}
  size_t left, right;
};

/// d f / d x by central differences, in double precision.
template <class Function>
double slope(Function f, double x) {
  const double h = 1e-5 * std::max(1.0, std::abs(x));
  return (f(x + h) - f(x - h)) / (2 * h);
}

void expect_close(double ours, double expected, double tolerance, const char* what, size_t i) {
  EXPECT_NEAR(ours, expected, tolerance * std::max(1.0, std::abs(expected)))
      << what << " of element " << i;
}

// The formulas of model/latents/, one element at a time, in double precision.

double log_variance(double a) {
  const double softplus = a > 20 ? a : std::log1p(std::exp(a));
  return std::clamp(2 * std::log(softplus + 1e-6), -10.0, 10.0);
}
double drawn_r(double mean, double a, double eps) {
  return mean + std::exp(log_variance(a) / 2) * eps;
}
double divergence(double mean_q, double a_q, double mean_p, double a_p) {
  const double q = log_variance(a_q), p = log_variance(a_p), difference = mean_q - mean_p;
  return 0.5 * (p - q + (std::exp(q) + difference * difference) / std::exp(p) - 1);
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double soft_gate(double logit, double u) {
  // The upper bound is that of float32: 1 minus it is 1.3 % away from 1e-6.
  const double bounded = std::clamp<double>(u, 1e-6F, 1 - 1e-6F);
  return sigmoid(logit + std::log(bounded) - std::log(1 - bounded));
}

/// Inputs, outputs and gradients of one Gaussian draw.
struct GaussianCase {
  explicit GaussianCase(Size size)
      : dim(size.dim),
        posterior(drawn("posterior", 2 * size.rows * dim, 2)),
        prior(drawn("prior", 2 * size.rows * dim, 2)),
        eps(drawn("eps", size.rows * dim, 1)),
        dr(drawn("dr", size.rows * dim, 1)),
        dcost(drawn("dcost", size.rows * dim, 1)),
        r(eps.size(), NAN),
        cost(eps.size(), NAN),
        dposterior(posterior.size(), NAN),
        dprior(prior.size(), NAN) {}

  void run() {
    const GaussianInputs in = {static_cast<int64_t>(eps.size()) / dim, dim, posterior.data(),
                               prior.data(), eps.data()};
    gaussian_draw(in, r.data(), cost.data());
    gaussian_draw_backward(in, dr.data(), dcost.data(), dposterior.data(), dprior.data());
  }

  void expect_values(double tolerance) const {
    for (size_t i = 0; i < r.size(); ++i) {
      const Halves at(i, dim);
      expect_close(r[i], drawn_r(posterior[at.left], posterior[at.right], eps[i]), tolerance, "r",
                   i);
      expect_close(
          cost[i],
          divergence(posterior[at.left], posterior[at.right], prior[at.left], prior[at.right]),
          tolerance, "KL", i);
    }
  }

  void expect_gradients(double tolerance) const {
    for (size_t i = 0; i < r.size(); ++i) {
      const Halves at(i, dim);
      const double mean_q = posterior[at.left], a_q = posterior[at.right];
      const double mean_p = prior[at.left], a_p = prior[at.right];
      const auto loss = [&](double mq, double aq, double mp, double ap) {
        return dr[i] * drawn_r(mq, aq, eps[i]) + dcost[i] * divergence(mq, aq, mp, ap);
      };
      const auto check = [&](double ours, const char* what, auto f, double x) {
        expect_close(ours, slope(f, x), tolerance, what, i);
      };
      check(
          dposterior[at.left], "dmean_q", [&](double x) { return loss(x, a_q, mean_p, a_p); },
          mean_q);
      check(
          dposterior[at.right], "da_q", [&](double x) { return loss(mean_q, x, mean_p, a_p); },
          a_q);
      check(
          dprior[at.left], "dmean_p", [&](double x) { return loss(mean_q, a_q, x, a_p); }, mean_p);
      check(
          dprior[at.right], "da_p", [&](double x) { return loss(mean_q, a_q, mean_p, x); }, a_p);
    }
  }

  int64_t dim;
  Floats posterior, prior, eps, dr, dcost;
  Floats r, cost, dposterior, dprior;
};

struct GateCase {
  explicit GateCase(Size size)
      : dim(size.dim),
        output(drawn("output", 2 * size.rows * dim, 2)),
        u(static_cast<size_t>(size.rows * dim)),
        dr(drawn("dr", size.rows * dim, 1)),
        dcost(drawn("dcost", size.rows * dim, 1)),
        r(u.size(), NAN),
        cost(u.size(), NAN),
        gates(u.size(), NAN),
        doutput(output.size(), NAN) {
    auto draws = random::Stream(1, "u").at(0);
    for (float& x : u) x = static_cast<float>(draws.uniform());
  }

  void run() {
    const GateInputs in = {static_cast<int64_t>(u.size()) / dim, dim, output.data(), u.data()};
    gate_draw(in, r.data(), cost.data(), gates.data());
    gate_draw_backward(in, dr.data(), dcost.data(), doutput.data());
  }

  void expect_all(double tolerance) const {
    for (size_t i = 0; i < u.size(); ++i) {
      const Halves at(i, dim);
      const double logit = output[at.left], value = output[at.right];
      EXPECT_EQ(gates[i], soft_gate(logit, u[i]) > 0.5 ? 1 : 0) << i;
      EXPECT_EQ(r[i], gates[i] * output[at.right]) << i;
      expect_close(cost[i], sigmoid(logit), tolerance, "cost", i);
      const auto relaxed = [&](double x) {
        return dr[i] * soft_gate(x, u[i]) * value + dcost[i] * sigmoid(x);
      };
      expect_close(doutput[at.left], slope(relaxed, logit), tolerance, "dlogit", i);
      EXPECT_EQ(doutput[at.right], dr[i] * gates[i]) << i;
    }
  }

  int64_t dim;
  Floats output, u, dr, dcost;
  Floats r, cost, gates, doutput;
};

class LatentKernel : public OnEachInstructionSet {
 protected:
  void TearDown() override {
    set_threads(1);
    OnEachInstructionSet::TearDown();
  }
};

ADASSL_ON_EACH_INSTRUCTION_SET(LatentKernel);

TEST_P(LatentKernel, DrawsTheGaussianOfTheFormula) {
  for (const Size size : kSizes) {
    SCOPED_TRACE(testing::Message() << size.rows << " x " << size.dim);
    GaussianCase all(size);
    all.run();
    all.expect_values(1e-6);
    all.expect_gradients(5e-6);
  }
}

TEST_P(LatentKernel, CostsNothingWherePosteriorIsPrior) {
  GaussianCase all({50, 5});
  all.prior = all.posterior;
  all.run();
  EXPECT_EQ(all.cost, Floats(all.cost.size(), 0));
  EXPECT_EQ(all.dprior, Floats(all.dprior.size(), 0));
}

TEST_P(LatentKernel, ClampsTheVarianceAndSendsNoGradientThroughTheClamp) {
  // sigma at its bounds of e^-5 and e^5, around softplus's switch at 20, and far beyond.
  const Floats edges = {-1e4F, -100, -20, -5.1F, 148.5F, 1e4F, 19.9F, 20.1F, -4.9F, 148.3F};
  const auto clamped = [](float a) { return a < -5 || a > 148.4F; };
  GaussianCase all({static_cast<int64_t>(edges.size()), 10});
  for (size_t i = 0; i < all.r.size(); ++i) {
    const Halves at(i, 10);
    all.posterior[at.right] = edges[i / 10];
    all.prior[at.right] = edges[i % 10];
  }
  all.run();
  all.expect_values(2e-6);
  for (size_t i = 0; i < all.r.size(); ++i) {
    const Halves at(i, 10);
    EXPECT_EQ(all.dposterior[at.right] == 0, clamped(edges[i / 10])) << edges[i / 10];
    EXPECT_EQ(all.dprior[at.right] == 0, clamped(edges[i % 10])) << edges[i % 10];
  }
  all.expect_gradients(2e-5);
}

TEST_P(LatentKernel, StaysFiniteWhereMeansAreFarApart) {
  GaussianCase all({20, 5});
  for (size_t i = 0; i < all.r.size(); ++i) all.posterior[Halves(i, 5).left] = i % 2 ? 1e4F : -1e4F;
  all.run();
  all.expect_values(2e-6);
  for (const Floats* out : {&all.r, &all.cost, &all.dposterior, &all.dprior}) {
    for (const float x : *out) ASSERT_TRUE(std::isfinite(x));
  }
}

TEST_P(LatentKernel, KeepsWhatIsNotANumber) {
  GaussianCase gaussian({3, 2});
  gaussian.posterior[Halves(0, 2).left] = NAN;
  gaussian.posterior[Halves(1, 2).right] = NAN;
  gaussian.prior[Halves(2, 2).left] = NAN;
  gaussian.prior[Halves(3, 2).right] = NAN;
  gaussian.run();
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(std::isnan(gaussian.r[i]), i < 2) << i;
    EXPECT_EQ(std::isnan(gaussian.cost[i]), i < 4) << i;
  }
  GateCase gate({3, 2});
  gate.output[Halves(0, 2).left] = NAN;
  gate.output[Halves(1, 2).right] = NAN;
  gate.run();
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(std::isnan(gate.r[i]), i < 2) << i;
    EXPECT_EQ(std::isnan(gate.cost[i]), i < 1) << i;
  }
}

TEST_P(LatentKernel, OpensTheGateOfTheFormula) {
  for (const Size size : kSizes) {
    SCOPED_TRACE(testing::Message() << size.rows << " x " << size.dim);
    GateCase all(size);
    all.run();
    all.expect_all(2e-6);
  }
}

TEST_P(LatentKernel, DecidesOnGatesAtTheEndsOfTheirRanges) {
  const Floats logits = {-1e4F, -90, -13.9F, -13.7F, 0.1F, 13.7F, 13.9F, 90, 1e4F};
  const Floats uniforms = {0, 1e-7F, 1e-6F, 0.25F, 0.75F, 1 - 1e-6F, 1};
  GateCase all({static_cast<int64_t>(logits.size()), static_cast<int64_t>(uniforms.size())});
  for (size_t i = 0; i < all.u.size(); ++i) {
    all.output[Halves(i, all.dim).left] = logits[i / uniforms.size()];
    all.u[i] = uniforms[i % uniforms.size()];
  }
  all.run();
  all.expect_all(2e-6);
}

TEST_P(LatentKernel, GivesTheSameBitsForAnyNumberOfThreads) {
  GaussianCase gaussian({1001, 5});
  GateCase gate({1001, 5});
  gaussian.run();
  gate.run();
  for (const int count : {2, 3, 4}) {
    set_threads(count);
    GaussianCase other({1001, 5});
    other.run();
    EXPECT_EQ(other.r, gaussian.r);
    EXPECT_EQ(other.cost, gaussian.cost);
    EXPECT_EQ(other.dposterior, gaussian.dposterior);
    EXPECT_EQ(other.dprior, gaussian.dprior);
    GateCase other_gate({1001, 5});
    other_gate.run();
    EXPECT_EQ(other_gate.r, gate.r);
    EXPECT_EQ(other_gate.cost, gate.cost);
    EXPECT_EQ(other_gate.gates, gate.gates);
    EXPECT_EQ(other_gate.doutput, gate.doutput);
  }
}

}  // namespace
}  // namespace adassl::kernels
