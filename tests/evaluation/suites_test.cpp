#include <cmath>

#include <gtest/gtest.h>

#include "adassl/evaluation/density.h"
#include "adassl/evaluation/geometry.h"
#include "adassl/evaluation/utilisation.h"
#include "adassl/nn/tensors.h"
#include "contracts/parts.h"

namespace adassl::evaluation {
namespace {

Tensor draws(int64_t rows, int64_t columns, const char* name) {
  return nn::normal(rows, columns, {1, name}, torch::empty({0}, torch::kFloat64));
}

TEST(RankMe, CountsDirectionsThatAreUsedEqually) {
  EXPECT_NEAR(rank_me(torch::eye(6, torch::kFloat64).repeat({10, 1})), 6, 1e-3);
  EXPECT_NEAR(rank_me(torch::ones({50, 6}, torch::kFloat64)), 1, 1e-3);
}

TEST(Alignment, IsTheMeanSquaredDistance) {
  const Tensor a = torch::zeros({3, 2}, torch::kFloat64);
  EXPECT_EQ(alignment(a, a), 0);
  EXPECT_NEAR(alignment(a, a + 1), 2, 1e-12);
}

TEST(Uniformity, OfTwoOppositePointsAndOfOnePoint) {
  EXPECT_NEAR(uniformity(torch::tensor({{1.0, 0.0}, {-1.0, 0.0}}, torch::kFloat64)), -8, 1e-12);
  EXPECT_NEAR(uniformity(torch::ones({4, 2}, torch::kFloat64)), 0, 1e-12);
}

TEST(Entropy, IsLogOfTheCountForEqualWeights) {
  const auto of = [](const std::vector<double>& weights) {
    return model::entropy(torch::tensor(weights, torch::kFloat64)).item<double>();
  };
  EXPECT_NEAR(of({2, 2, 2, 2}), std::log(4.0), 1e-12);
  EXPECT_EQ(of({0, 3, 0}), 0);
  EXPECT_EQ(of({0, 0}), 0);
}

TEST(SlicedWasserstein, OfAShiftIsTheMeanProjectedShift) {
  const Tensor a = draws(2000, 2, "a");
  const Tensor shifted = a + torch::tensor({3.0, 0.0}, torch::kFloat64);
  // The mean of |cos| over directions is 2 / pi.
  EXPECT_NEAR(sliced_wasserstein(a, shifted, 4000, {1, "directions"}), 3 * 2 / M_PI, 0.06);
  EXPECT_EQ(sliced_wasserstein(a, a, 10, {1, "directions"}), 0);
}

TEST(EnergyDistance, OfTwoPointMassesIsTwiceTheirDistance) {
  const Tensor a = torch::zeros({10, 1}, torch::kFloat64);
  EXPECT_NEAR(energy_distance(a, a + 4), 8, 1e-9);
  EXPECT_NEAR(energy_distance(a, a), 0, 1e-12);
}

TEST(EnergyDistance, IsSmallBetweenSamplesOfOneLawAndLargerOtherwise) {
  const Tensor a = draws(1000, 3, "a");
  const Tensor b = draws(1000, 3, "b");
  EXPECT_LT(energy_distance(a, b), 0.02);
  EXPECT_GT(energy_distance(a, 0.3 * b), 0.2);
}

TEST(Frozen, LeavesTheModelAsItWas) {
  const auto experiment = study::build_experiment(testing::small_config({"method=adassl-v"}));
  auto& method = *experiment.method;
  method.train();
  std::vector<Tensor> before;
  for (const auto& item : method.named_buffers()) before.push_back(item.value().clone());
  {
    const Frozen frozen(method);
    EXPECT_FALSE(method.is_training());
    Results results;
    for (const auto& suite : experiment.evaluations)
      suite->run({method, *experiment.source, 1}, results);
  }
  EXPECT_TRUE(method.is_training());
  size_t i = 0;
  for (const auto& item : method.named_buffers())
    EXPECT_TRUE(torch::equal(item.value(), before[i++]));
}

TEST(EveryEvaluation, AddsFiniteNumbersOrNothing) {
  const auto experiment = study::build_experiment(testing::small_config(
      {"method=adassl-v", "evaluate.probes.train_samples=256", "evaluate.probes.test_samples=256",
       "evaluate.change.pairs=600", "evaluate.dci.samples=200",
       "evaluate.suites=[\"regression\", \"utilisation\", \"geometry\", \"density\", "
       "\"probes\", \"retrieval\", \"futures\", \"change\", \"control\", \"dci\", "
       "\"reconstruction\", \"partner\"]"}));
  ASSERT_EQ(experiment.evaluations.size(), evaluations().size());
  const Frozen frozen(*experiment.method);
  Results results;
  const Subject subject{*experiment.method, *experiment.source, 1};
  for (const auto& suite : experiment.evaluations) ask(*suite, subject, results);
  for (const auto& [name, value] : results.metrics) {
    EXPECT_TRUE(std::isfinite(value)) << name;
    EXPECT_FALSE(results.descriptions.at(name).label.empty()) << name;
  }
  EXPECT_GT(results.metrics.at("representation_r2"), 0);  // the numerical source has factors,
  EXPECT_TRUE(results.metrics.contains("dci_completeness"));
  EXPECT_TRUE(results.metrics.contains("r2_change_from_r"));     // provides the change,
  EXPECT_FALSE(results.metrics.contains("embedding_accuracy"));  // but has no classes
  EXPECT_FALSE(results.metrics.contains("partner_chance_class"));
  EXPECT_FALSE(results.metrics.contains("mrr"));  // and no futures
}

TEST(Untrained, HasTheWeightsThatTheSeedDraws) {
  const auto experiment = study::build_experiment(testing::small_config({"method=adassl-v"}));
  const auto expect_equal = [](const model::Method& a, const model::Method& b, bool equal) {
    const auto left = a.named_parameters(), right = b.named_parameters();
    ASSERT_EQ(left.size(), right.size());
    bool same = true;
    for (const auto& item : left) same = same && torch::equal(item.value(), right[item.key()]);
    EXPECT_EQ(same, equal);
  };
  expect_equal(*experiment.method, *experiment.untrained(), true);
  {
    const torch::NoGradGuard no_grad;
    for (Tensor& parameter : experiment.method->parameters()) parameter.add_(1);
  }
  expect_equal(*experiment.method, *experiment.untrained(), false);
  expect_equal(*experiment.untrained(), *experiment.untrained(), true);
}

TEST(Utilisation, AveragesBothDirectionsOfASymmetricModel) {
  const auto experiment = study::build_experiment(testing::small_config({"method=adassl-s"}));
  const Frozen frozen(*experiment.method);
  const Batch batch = experiment.source->pairs({1, "batch"}, 64);
  const auto usage =
      require<model::InfersR>(*experiment.method).usage(model::views(batch), {1, "noise"});
  ASSERT_EQ(usage.draws.size(), 2U);
  EXPECT_FALSE(torch::equal(usage.draws[0].gates, usage.draws[1].gates));
  const Tensor use = model::use_of_dimensions(usage.draws, model::Cost::kGates);
  const Tensor both = torch::cat({usage.draws[0].gates, usage.draws[1].gates});
  EXPECT_TRUE(torch::allclose(use, both.mean(0)));
  const auto loss = experiment.method->forward(model::views(batch), 1, {1, "noise"});
  EXPECT_NEAR(usage.inferred, loss.terms.front().second.item<double>(), 1e-6)
      << "the objective of training";
  const auto one_way =
      study::build_experiment(testing::small_config({"method=adassl-s", "model.symmetric=false"}));
  EXPECT_EQ(require<model::InfersR>(*one_way.method)
                .usage(model::views(batch), {1, "noise"})
                .draws.size(),
            1U);
}

TEST(Utilisation, SpeaksOfGatesOrOfNatsAsTheLatentDoes) {
  const auto results_of = [](const std::string& method) {
    const auto experiment = study::build_experiment(testing::small_config({"method=" + method}));
    const Frozen frozen(*experiment.method);
    Results results;
    Utilisation({.batch = 64, .batches = 2})
        .run({*experiment.method, *experiment.source, 1}, results);
    return results;
  };
  const Results v = results_of("adassl-v");
  EXPECT_TRUE(v.metrics.contains("kl"));
  EXPECT_EQ(v.vectors.at("kl_per_dim").size(), 5U);
  const Results s = results_of("adassl-s");
  EXPECT_TRUE(s.metrics.contains("gates_open"));
  EXPECT_LE(s.metrics.at("gates_open"), 5);
  const Results none = results_of("infonce");
  EXPECT_FALSE(none.metrics.contains("active_dims"));
  EXPECT_LE(none.metrics.at("mi_bound"), std::log(64.0));
}

}  // namespace
}  // namespace adassl::evaluation
