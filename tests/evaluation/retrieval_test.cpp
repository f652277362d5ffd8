#include "adassl/evaluation/retrieval.h"

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/nn/compute.h"
#include "evaluation/steps.h"

namespace adassl::evaluation {
namespace {

using testing::array_of;
using testing::FakeSource;
using testing::kEach;
using testing::kSources;
using testing::Repeated;
using testing::results_of;
using testing::Steps;
using testing::Still;
using testing::World;

const Retrieval retrieval({.sources = kSources, .futures = kEach, .pairs = 1024, .steps = 600});

TEST(Retrieval, FindsEveryFutureWithTheRightR) {
  World method;
  const Results results = results_of(retrieval, method, Steps());
  EXPECT_EQ(results.metrics.at("hit1"), 1);
  EXPECT_EQ(results.metrics.at("hit1_pessimistic"), 1);
  EXPECT_EQ(results.metrics.at("mrr"), 1);
  EXPECT_LT(results.metrics.at("retrieval_error"), 1e-3);
}

TEST(Retrieval, LeavesTheMethodWithoutGradients) {
  World method;
  const Tensor before = method.parameters()[0].detach().clone();
  results_of(retrieval, method, Steps());
  EXPECT_FALSE(method.parameters()[0].grad().defined());
  EXPECT_TRUE(torch::equal(method.parameters()[0], before));
  EXPECT_TRUE(method.parameters()[0].requires_grad());
}

TEST(Retrieval, MeasuresInFloat32WhateverTheModelComputesIn) {
  World method;
  const Retrieval wide(
      {.sources = kSources, .futures = kEach, .pairs = 64, .steps = 3, .hidden = 512});
  const auto error = [&](nn::Precision precision) {
    const auto compute = std::make_shared<nn::Compute>(nn::Compute{.precision = precision});
    return results_of(wide, method, Steps(), compute).metrics.at("retrieval_error");
  };
  EXPECT_EQ(error(nn::Precision::kBfloat16), error(nn::Precision::kFloat32));
}

TEST(Retrieval, HasToLearnTheMap) {
  World method;
  const Retrieval untrained({.sources = kSources, .futures = kEach, .pairs = 64, .steps = 0});
  EXPECT_LT(results_of(untrained, method, Steps()).metrics.at("hit1"), 0.2);
}

TEST(Retrieval, WithoutRFindsOneFutureOfEachSource) {
  Still method;
  const Results results = results_of(retrieval, method, Steps());
  double harmonic = 0;
  for (int64_t k = 1; k <= kEach; ++k) harmonic += 1.0 / static_cast<double>(k);
  EXPECT_EQ(results.metrics.at("hit1"), 1.0 / kEach);
  EXPECT_EQ(results.metrics.at("hit5"), 5.0 / kEach);
  EXPECT_NEAR(results.metrics.at("mrr"), harmonic / kEach, 1e-12);
  EXPECT_NEAR(results.metrics.at("mrr_pessimistic"), harmonic / kEach, 1e-12);
}

TEST(Retrieval, TiesFuturesThatLookTheSame) {
  Still method;
  const Results results = results_of(retrieval, method, Repeated());
  // Half of the futures look the same and are the most similar ones; the other half come next.
  EXPECT_EQ(results.metrics.at("hit1"), 0.5);
  EXPECT_EQ(results.metrics.at("hit5"), 0.5);
  EXPECT_NEAR(results.metrics.at("mrr"), (1 + 1.0 / 9) / 2, 1e-12);
  EXPECT_EQ(results.metrics.at("hit1_pessimistic"), 0);
  EXPECT_EQ(results.metrics.at("hit5_pessimistic"), 0);
  EXPECT_NEAR(results.metrics.at("mrr_pessimistic"), (1.0 / 8 + 1.0 / 16) / 2, 1e-12);
}

TEST(Retrieval, SaysNothingWithoutFuturesOrWithoutAnRToTry) {
  World world;
  Still still;
  EXPECT_TRUE(results_of(retrieval, world, FakeSource()).metrics.empty());
  EXPECT_TRUE(results_of(retrieval, still, FakeSource()).metrics.empty());
  EXPECT_TRUE(results_of(retrieval, world, Steps(/*tells=*/false)).metrics.empty());
  EXPECT_FALSE(results_of(retrieval, still, Steps(/*tells=*/false)).metrics.empty());
}

TEST(Rank, CountsTiesForAndAgainst) {
  // Similarities to the query: 0.8, 1, 0.8, 0, with 1, 2, 3 and 4 copies.
  const Tensor gallery =
      torch::tensor({{0.8, 0.6}, {1.0, 0.0}, {0.8, -0.6}, {0.0, 1.0}}, torch::kFloat64);
  const Tensor queries = torch::tensor({{1.0, 0.0}}, torch::kFloat64).repeat({4, 1});
  const Ranks ranks = rank(queries, torch::arange(4, torch::kInt64), gallery,
                           torch::tensor({1, 2, 3, 4}, torch::kInt64));
  EXPECT_TRUE(torch::equal(ranks.optimistic, torch::tensor({3, 1, 3, 7}, torch::kFloat64)));
  EXPECT_TRUE(torch::equal(ranks.pessimistic, torch::tensor({6, 2, 6, 10}, torch::kFloat64)));
}

TEST(Rank, RefusesWhatIsNotANumber) {
  const Tensor gallery = torch::eye(2, torch::kFloat64);
  const Tensor broken = torch::full({1, 2}, NAN, torch::kFloat64);
  const Tensor one = torch::ones({2}, torch::kInt64);
  EXPECT_THROW(rank(broken, torch::zeros({1}, torch::kInt64), gallery, one), Error);
}

TEST(Rank, DoesNotDependOnHowManyQueriesThereAre) {
  const Tensor queries = nn::normalise(testing::draws(1300, 5, "queries"));
  const Tensor gallery = nn::normalise(testing::draws(40, 5, "gallery"));
  const Tensor truth = torch::arange(1300, torch::kInt64) % 40;
  const Tensor copies = torch::ones({40}, torch::kInt64);
  const Ranks all = rank(queries, truth, gallery, copies);
  const Ranks last = rank(queries.narrow(0, 1299, 1), truth.narrow(0, 1299, 1), gallery, copies);
  EXPECT_EQ(all.optimistic.size(0), 1300);
  EXPECT_EQ(all.optimistic[1299].item<double>(), last.optimistic[0].item<double>());
}

TEST(DistinctRows, NumberEqualRowsAlike) {
  const DistinctRows found =
      distinct_rows(array_of({{1, 2}, {3, 4}, {1, 2}, {1, 4}, {3, 4}, {1, 2}}));
  EXPECT_EQ(found.of_row, (std::vector<int64_t>{0, 1, 0, 2, 1, 0}));
  EXPECT_EQ(found.first_row, (std::vector<int64_t>{0, 1, 3}));
  EXPECT_EQ(found.copies, (std::vector<int64_t>{3, 2, 1}));
}

TEST(Gallery, EmbedsEqualRowsEqually) {
  Still method;
  const Gallery found = gallery(method, array_of({{1, 2}, {0, 1}, {1, 2}}));
  EXPECT_EQ(found.embeddings.size(0), 2);
  const Tensor rows = found.rows(0, 3);
  EXPECT_TRUE(torch::equal(rows[0], rows[2]));
  EXPECT_NEAR(rows.norm(2, {1}).min().item<double>(), 1, 1e-12);
}

}  // namespace
}  // namespace adassl::evaluation
