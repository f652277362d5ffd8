#include "adassl/optim/lbfgs.h"

#include <cmath>

#include <gtest/gtest.h>

namespace adassl::optim {
namespace {

Slope rosenbrock(const Tensor& at) {
  const double x = at[0].item<double>();
  const double y = at[1].item<double>();
  return {
      100 * std::pow(y - x * x, 2) + std::pow(1 - x, 2),
      torch::tensor({-400 * x * (y - x * x) - 2 * (1 - x), 200 * (y - x * x)}, torch::kFloat64)};
}

TEST(Lbfgs, FindsTheMinimumOfRosenbrocksValley) {
  const Tensor start = torch::tensor({-1.2, 1.0}, torch::kFloat64);
  const Minimum found = minimise(rosenbrock, start, {.max_iterations = 200, .tolerance = 1e-9});
  EXPECT_TRUE(found.converged);
  EXPECT_LT(found.iterations, 100);
  EXPECT_TRUE(torch::allclose(found.at, torch::ones({2}, torch::kFloat64), 1e-8, 1e-8));
}

TEST(Lbfgs, FindsTheMinimumOfANarrowBowl) {
  const Tensor curvature = torch::logspace(-2, 2, 12, 10, torch::kFloat64);
  const auto bowl = [&](const Tensor& x) {
    return Slope{(curvature * (x - 1).square()).sum().item<double>() / 2, curvature * (x - 1)};
  };
  const Minimum found = minimise(bowl, torch::zeros({12}, torch::kFloat64), {.tolerance = 1e-10});
  EXPECT_TRUE(found.converged);
  EXPECT_TRUE(torch::allclose(found.at, torch::ones({12}, torch::kFloat64), 0, 1e-6));
}

TEST(Lbfgs, SaysSoWhenItStopsTooEarly) {
  const Tensor start = torch::tensor({-1.2, 1.0}, torch::kFloat64);
  const Minimum found = minimise(rosenbrock, start, {.max_iterations = 3});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.iterations, 3);
  EXPECT_LT(found.slope.value, rosenbrock(start).value);
}

TEST(Lbfgs, TakesNoStepFromAMinimum) {
  const Minimum found = minimise(rosenbrock, torch::ones({2}, torch::kFloat64), {});
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.iterations, 0);
}

}  // namespace
}  // namespace adassl::optim
