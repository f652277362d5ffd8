#include "adassl/evaluation/logistic.h"

#include <cmath>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

using testing::draws;

TEST(Logistic, GivesAFeatureOfTwoValuesTheFrequenciesOfEach) {
  // How often each of three classes occurs among the rows with x = 0, and among those with x = 5.
  const std::vector<std::vector<int64_t>> counts = {{6, 3, 1}, {2, 5, 13}};
  std::vector<double> x;
  std::vector<int64_t> labels;
  for (size_t value = 0; value < 2; ++value) {
    for (int64_t label = 0; label < 3; ++label) {
      for (int64_t i = 0; i < counts[value][static_cast<size_t>(label)]; ++i) {
        x.push_back(5.0 * static_cast<double>(value));
        labels.push_back(label);
      }
    }
  }
  const Classifier fitted =
      fit_logistic(torch::tensor(x, torch::kFloat64).unsqueeze(1),
                   torch::tensor(labels, torch::kInt64), 3, {.l2 = 0, .tolerance = 1e-10});
  EXPECT_TRUE(fitted.converged);
  const Tensor p = fitted(torch::tensor({{0.0}, {5.0}}, torch::kFloat64)).softmax(1);
  const Tensor expected = torch::tensor({{0.6, 0.3, 0.1}, {0.1, 0.25, 0.65}}, torch::kFloat64);
  EXPECT_TRUE(torch::allclose(p, expected, 1e-8, 1e-8));
}

/// Features of many scales that depend on each other, and noisy labels.
struct Problem {
  Tensor x = draws(600, 8, "x").matmul(draws(8, 8, "mix")) *
                 torch::logspace(-2, 3, 8, 10, torch::kFloat64) +
             7;
  Tensor labels =
      (draws(600, 8, "x").matmul(draws(8, 4, "w")) + 2 * draws(600, 4, "noise")).argmax(1);
};

TEST(Logistic, HasNoGradientAtItsSolution) {
  const Problem problem;
  for (const double l2 : {0.0, 1e-3, 1.0}) {
    const Classifier fitted =
        fit_logistic(problem.x, problem.labels, 4, {.l2 = l2, .tolerance = 1e-9});
    ASSERT_TRUE(fitted.converged);
    const Tensor scale = problem.x.std(0, /*unbiased=*/false).unsqueeze(1);
    const Tensor w = (fitted.weights * scale).requires_grad_();  // of features of unit variance
    const Tensor b = fitted.intercept.clone().requires_grad_();
    const Tensor logits = (problem.x / scale.t()).matmul(w) + b;
    const Tensor loss = -logits.log_softmax(1).gather(1, problem.labels.unsqueeze(1)).mean() +
                        l2 / 2 * w.square().sum();
    loss.backward();
    // The columns of x / scale are not centred: compute the gradient with respect to centred
    // columns.
    const Tensor mean = (problem.x / scale.t()).mean(0).unsqueeze(1);
    EXPECT_LT((w.grad() - mean * b.grad()).abs().max().item<double>(), 1e-7) << l2;
    EXPECT_LT(b.grad().abs().max().item<double>(), 1e-7) << l2;
  }
}

TEST(Logistic, IsTheSameForFeaturesInOtherUnits) {
  const Problem problem;
  const Tensor units = torch::tensor({1e-3, 2.0, 5.0, 1e4, 1.0, 1.0, 0.1, 30.0}, torch::kFloat64);
  const LogisticOptions options{.l2 = 1e-2, .tolerance = 1e-10};
  const Classifier one = fit_logistic(problem.x, problem.labels, 4, options);
  const Classifier other = fit_logistic(problem.x * units + 3, problem.labels, 4, options);
  EXPECT_TRUE(torch::allclose(one(problem.x), other(problem.x * units + 3), 1e-6, 1e-6));
}

TEST(Logistic, IgnoresFeaturesAndDirectionsWithoutVariation) {
  const Problem problem;
  const Tensor constant = torch::full({600, 1}, 0.1, torch::kFloat64);
  const Tensor wide = torch::cat({problem.x, constant, problem.x.select(1, 0).unsqueeze(1)}, 1);
  const Classifier fitted = fit_logistic(wide, problem.labels, 4, {.l2 = 0, .tolerance = 1e-8});
  const Classifier plain = fit_logistic(problem.x, problem.labels, 4, {.l2 = 0, .tolerance = 1e-8});
  EXPECT_TRUE(fitted.converged);
  EXPECT_EQ(fitted.weights[8].abs().max().item<double>(), 0);
  EXPECT_TRUE(torch::allclose(fitted(wide), plain(problem.x), 1e-4, 1e-4));
}

TEST(Logistic, WithoutAnyVariationLearnsHowFrequentClassesAre) {
  const Tensor x = torch::full({4, 2}, 0.3, torch::kFloat64);
  const Tensor labels = torch::tensor({0, 0, 0, 1}, torch::kInt64);
  const Classifier fitted = fit_logistic(x, labels, 2, {.tolerance = 1e-9});
  EXPECT_NEAR(fitted(x).softmax(1)[0][0].item<double>(), 0.75, 1e-7);
}

TEST(Logistic, RefusesLabelsThatAreNoClasses) {
  const Tensor x = draws(2, 2, "x");
  EXPECT_THROW(fit_logistic(x, torch::tensor({0, 2}, torch::kInt64), 2, {}), Error);
  EXPECT_THROW(fit_logistic(x, torch::tensor({0, 1, 1}, torch::kInt64), 2, {}), Error);
}

}  // namespace
}  // namespace adassl::evaluation
