#include "adassl/nn/latent_functions.h"

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/nn/tensors.h"

namespace adassl::nn {
namespace {

constexpr int64_t kRows = 301, kDim = 5;

Tensor drawn(const char* purpose, int64_t columns, int64_t rows = kRows) {
  return normal(rows, columns, {1, purpose}, torch::empty({0}));
}
Tensor leaf(const Tensor& values) { return values.clone().set_requires_grad(true); }
Tensor uniforms() { return uniform(kRows, kDim, {1, "u"}, torch::empty({0})); }

/// The formulas of model/latents/variational.h, by LibTorch.
std::pair<Tensor, Tensor> plain_gaussian(const Tensor& posterior, const Tensor& prior,
                                         const Tensor& eps) {
  const auto log_variance = [](const Tensor& a) {
    return (2 * (torch::softplus(a) + 1e-6).log()).clamp(-10, 10);
  };
  const auto q = posterior.chunk(2, 1);
  const auto p = prior.chunk(2, 1);
  const Tensor lq = log_variance(q[1]);
  const Tensor lp = log_variance(p[1]);
  return {q[0] + (lq / 2).exp() * eps,
          0.5 * (lp - lq + (lq.exp() + (q[0] - p[0]).square()) / lp.exp() - 1)};
}

/// And those of model/latents/sparse.h.
GateDraw plain_gate(const Tensor& output, const Tensor& u) {
  const auto halves = output.chunk(2, 1);
  const Tensor clamped = u.clamp(1e-6, 1 - 1e-6);
  const Tensor soft = torch::sigmoid(halves[0] + clamped.log() - (1 - clamped).log());
  const Tensor hard = (soft > 0.5).to(soft.scalar_type());
  return {(hard - soft.detach() + soft) * halves[1], torch::sigmoid(halves[0]), hard};
}

void expect_same_values(const Tensor& ours, const Tensor& reference) {
  const Tensor expected = reference.detach().to(torch::kFloat64);
  const Tensor error = (ours.detach() - expected).abs() / expected.abs().clamp_min(1);
  EXPECT_LT(error.max().item<double>(), 1e-6);
}

void expect_same_gradients(const Tensor& ours, const Tensor& reference) {
  ASSERT_TRUE(ours.grad().defined());
  EXPECT_GT(reference.grad().norm().item<double>(), 0);
  const double error = (ours.grad() - reference.grad()).norm().item<double>();
  EXPECT_LT(error, 1e-5 * reference.grad().norm().item<double>());
}

/// A loss through which every element of r and cost has a gradient of its own.
Tensor loss_of(const Tensor& r, const Tensor& cost) {
  return (r * drawn("dr", kDim).to(r.scalar_type())).sum() +
         (cost * drawn("dcost", kDim).to(r.scalar_type())).sum();
}

TEST(GaussianDraw, EqualsLibTorchsOperationsInValueAndGradient) {
  const Tensor posterior = leaf(3 * drawn("posterior", 2 * kDim));
  const Tensor prior = leaf(3 * drawn("prior", 2 * kDim));
  const Tensor eps = drawn("eps", kDim);
  const auto [r, cost] = gaussian_draw(posterior, prior, eps);
  loss_of(r, cost).backward();

  const Tensor exact_posterior = leaf(posterior.detach().to(torch::kFloat64));
  const Tensor exact_prior = leaf(prior.detach().to(torch::kFloat64));
  const auto [exact_r, exact_cost] =
      plain_gaussian(exact_posterior, exact_prior, eps.to(torch::kFloat64));
  loss_of(exact_r, exact_cost).backward();

  expect_same_values(r, exact_r);
  expect_same_values(cost, exact_cost);
  expect_same_gradients(posterior, exact_posterior);
  expect_same_gradients(prior, exact_prior);
}

TEST(GaussianDraw, NeedsGradientOfOnlyOneOutput) {
  const Tensor eps = drawn("eps", kDim);
  for (const bool of_cost : {false, true}) {
    const Tensor posterior = leaf(drawn("posterior", 2 * kDim));
    const Tensor prior = leaf(drawn("prior", 2 * kDim));
    const auto [r, cost] = gaussian_draw(posterior, prior, eps);
    (of_cost ? cost : r).sum().backward();  // whose gradient is expanded, not stored
    const Tensor plain_posterior = leaf(posterior.detach());
    const Tensor plain_prior = leaf(prior.detach());
    const auto [plain_r, plain_cost] = plain_gaussian(plain_posterior, plain_prior, eps);
    (of_cost ? plain_cost : plain_r).sum().backward();
    expect_same_gradients(posterior, plain_posterior);
    if (of_cost) {
      expect_same_gradients(prior, plain_prior);
    } else {
      EXPECT_EQ(prior.grad().abs().max().item<double>(), 0);
    }
  }
}

TEST(GaussianDraw, SendsGradientOnlyWhereItIsWanted) {
  const Tensor posterior = drawn("posterior", 2 * kDim);
  const Tensor prior = leaf(drawn("prior", 2 * kDim));
  const Tensor eps = leaf(drawn("eps", kDim));
  const auto [r, cost] = gaussian_draw(posterior, prior, eps);
  cost.sum().backward();
  EXPECT_TRUE(prior.grad().defined());
  EXPECT_FALSE(posterior.grad().defined());
  EXPECT_FALSE(eps.grad().defined());
}

TEST(GaussianDraw, TakesTensorsThatAreNotContiguous) {
  const Tensor wide = drawn("wide", 4 * kDim);
  const Tensor posterior = leaf(wide).slice(1, 0, 2 * kDim);
  const Tensor prior = wide.slice(1, 2 * kDim);
  const Tensor eps = drawn("eps", kRows, kDim).t();
  const auto [r, cost] = gaussian_draw(posterior, prior, eps);
  const auto [plain_r, plain_cost] = plain_gaussian(posterior, prior, eps);
  EXPECT_TRUE(torch::allclose(r, plain_r, 1e-5, 1e-5));
  EXPECT_TRUE(torch::allclose(cost, plain_cost, 1e-5, 1e-5));
  const Tensor weight = drawn("weight", kRows, kDim).t();
  const auto gradient_of = [&](const Tensor& out) {
    return torch::autograd::grad({(out * weight).sum()}, {posterior}, {}, true)[0];
  };
  EXPECT_TRUE(torch::allclose(gradient_of(r), gradient_of(plain_r), 1e-5, 1e-5));
}

TEST(GateDraw, EqualsLibTorchsOperationsInValueAndGradient) {
  const Tensor output = leaf(2 * drawn("output", 2 * kDim));
  const GateDraw draw = gate_draw(output, uniforms());
  loss_of(draw.r, draw.cost).backward();

  const Tensor exact = leaf(output.detach().to(torch::kFloat64));
  const GateDraw plain = plain_gate(exact, uniforms().to(torch::kFloat64));
  loss_of(plain.r, plain.cost).backward();

  EXPECT_TRUE(torch::equal(draw.gates, plain.gates.to(torch::kFloat32)));
  EXPECT_TRUE(torch::equal(draw.r.detach(), draw.gates * output.detach().slice(1, kDim)));
  expect_same_values(draw.cost, plain.cost);
  expect_same_gradients(output, exact);
}

TEST(GateDraw, OpensSomeGatesAndSendsThemNoGradient) {
  const GateDraw draw = gate_draw(leaf(drawn("output", 2 * kDim)), uniforms());
  EXPECT_TRUE(draw.r.requires_grad());
  EXPECT_TRUE(draw.cost.requires_grad());
  EXPECT_FALSE(draw.gates.requires_grad());
  EXPECT_NEAR(draw.gates.mean().item<double>(), 0.5, 0.1);
}

TEST(LatentFunctions, RunWithoutGradientsAndOnNoRows) {
  const torch::NoGradGuard no_grad;
  const Tensor output = leaf(drawn("output", 2 * kDim));
  EXPECT_FALSE(gaussian_draw(output, output, drawn("eps", kDim)).first.requires_grad());
  EXPECT_FALSE(gate_draw(output, uniforms()).r.requires_grad());
  const Tensor none = torch::empty({0, 2 * kDim});
  EXPECT_EQ(gaussian_draw(none, none, torch::empty({0, kDim})).second.numel(), 0);
  EXPECT_EQ(gate_draw(none, torch::empty({0, kDim})).gates.numel(), 0);
}

TEST(LatentFunctions, RefuseASecondDerivativeInsteadOfCallingItZero) {
  const Tensor output = leaf(drawn("output", 2 * kDim));
  const Tensor r = gate_draw(output, uniforms()).r.square().sum();
  EXPECT_ANY_THROW(torch::autograd::grad({r}, {output}, {}, true, /*create_graph=*/true));
}

TEST(LatentFunctions, RefuseShapesAndTypesThatTheyDoNotCover) {
  const Tensor output = drawn("output", 2 * kDim);
  EXPECT_THROW(gaussian_draw(output, output, drawn("eps", kDim + 1)), Error);
  EXPECT_THROW(gaussian_draw(output, output.slice(0, 1), drawn("eps", kDim)), Error);
  EXPECT_THROW(gate_draw(output.to(torch::kFloat64), uniforms()), Error);
}

}  // namespace
}  // namespace adassl::nn
