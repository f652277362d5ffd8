#include "adassl/evaluation/queries.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/evaluation/retrieval.h"
#include "evaluation/steps.h"

namespace adassl::evaluation {
namespace {

using testing::FakeSource;
using testing::kEach;
using testing::kSources;
using testing::Repeated;
using testing::results_of;
using testing::Steps;
using testing::Still;
using testing::World;

constexpr double kEqual = 1e-12;  // smaller differences of similarities are rounding errors
const RetrievalOptions options{.sources = kSources, .futures = kEach, .pairs = 256, .steps = 20};

RetrievalQueries ask(model::Method& method, const data::Source& source) {
  const Frozen frozen(method);
  EXPECT_EQ(obstacle_to_retrieval({method, source, 1}), "");
  return retrieval_queries({method, source, 1}, options);
}

double similarity(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t k = 0; k < a.size(0); ++k) sum += a[k].item<double>() * b[k].item<double>();
  return sum;
}

/// Each query against each clip of the pool, one by one.
void expect_brute_force(const RetrievalQueries& asked, int64_t top) {
  const Ranks ranks = rank(asked);
  const Tensor found = closest(asked.queries, asked.pool.embeddings, top);
  const int64_t clips = asked.futures.x_plus.rows();
  const Tensor pool = asked.pool.rows(0, clips);
  ASSERT_EQ(asked.queries.size(0), clips);
  for (int64_t q = 0; q < clips; q += 5) {
    std::vector<double> all;
    for (int64_t i = 0; i < clips; ++i) all.push_back(similarity(asked.queries[q], pool[i]));
    const double own = all[static_cast<size_t>(q)];
    const auto nearer = std::ranges::count_if(all, [&](double s) { return s > own + kEqual; });
    const auto as_near = std::ranges::count_if(all, [&](double s) { return s >= own - kEqual; });
    EXPECT_EQ(ranks.optimistic[q].item<double>(), 1.0 + static_cast<double>(nearer));
    EXPECT_EQ(ranks.pessimistic[q].item<double>(), static_cast<double>(as_near));
    std::vector<double> kinds;
    for (const int64_t row : asked.pool.distinct.first_row) {
      kinds.push_back(all[static_cast<size_t>(row)]);
    }
    std::ranges::sort(kinds, std::greater<>());
    for (int64_t k = 0; k < found.size(1); ++k) {
      const auto kind = static_cast<size_t>(found[q][k].item<int64_t>());
      const auto row = static_cast<size_t>(asked.pool.distinct.first_row[kind]);
      EXPECT_NEAR(all[row], kinds[static_cast<size_t>(k)], kEqual) << q << " " << k;
      for (int64_t before = 0; before < k; ++before) {
        EXPECT_NE(found[q][before].item<int64_t>(), static_cast<int64_t>(kind));
      }
    }
  }
}

TEST(RetrievalQueries, AreRankedAsABruteForceSearchRanksThem) {
  World world;
  expect_brute_force(ask(world, Steps()), 3);
  Still still;
  expect_brute_force(ask(still, Steps()), 3);
  expect_brute_force(ask(still, Repeated()), 3);
}

TEST(RetrievalQueries, AreThoseOfTheEvaluation) {
  World method;
  const Results results = results_of(Retrieval(options), method, Steps());
  const Ranks ranks = rank(ask(method, Steps()));
  EXPECT_EQ(mean_reciprocal(ranks.optimistic), results.metrics.at("mrr"));
  EXPECT_EQ(mean_reciprocal(ranks.pessimistic), results.metrics.at("mrr_pessimistic"));
  EXPECT_LT(results.metrics.at("mrr"), 1);  // the map is not good enough to find everything
}

TEST(RetrievalQueries, HoldThePoolTheyWereMadeFor) {
  Still method;
  const RetrievalQueries asked = ask(method, Repeated());
  EXPECT_EQ(asked.futures.x.rows(), kSources);
  EXPECT_EQ(asked.futures.x_plus.rows(), kSources * kEach);
  EXPECT_EQ(asked.pool.distinct.first_row.size(), 2U * kSources);
  EXPECT_NEAR(asked.queries.norm(2, {1}).min().item<double>(), 1, kEqual);
  // Without r there is one prediction for each source.
  EXPECT_TRUE(torch::equal(asked.queries[0], asked.queries[kEach - 1]));
  EXPECT_FALSE(torch::equal(asked.queries[0], asked.queries[kEach]));
}

TEST(RetrievalQueries, NeedFuturesAndWhereThereIsAnRTheChange) {
  World world;
  Still still;
  const std::string no_futures = "the data does not provide several futures of one x";
  EXPECT_EQ(obstacle_to_retrieval({world, FakeSource(), 1}), no_futures);
  EXPECT_EQ(obstacle_to_retrieval({still, FakeSource(), 1}), no_futures);
  EXPECT_EQ(obstacle_to_retrieval({world, Steps(/*tells=*/false), 1}),
            "the method's r needs the true change, which the data does not provide");
  EXPECT_EQ(obstacle_to_retrieval({still, Steps(/*tells=*/false), 1}), "");
}

TEST(Closest, SortsAndTakesTheFirstOfEquals) {
  // Similarities to the query: 0.8, 1, 0.8, 0.
  const Tensor gallery =
      torch::tensor({{0.8, 0.6}, {1.0, 0.0}, {0.8, -0.6}, {0.0, 1.0}}, torch::kFloat64);
  const Tensor queries = torch::tensor({{1.0, 0.0}}, torch::kFloat64).repeat({600, 1});
  const Tensor three = closest(queries, gallery, 3);
  EXPECT_EQ(three.size(0), 600);
  EXPECT_TRUE(torch::equal(three[0], torch::tensor({1, 0, 2}, torch::kInt64)));
  EXPECT_TRUE(torch::equal(three[599], three[0]));
  EXPECT_EQ(closest(queries, gallery, 9).size(1), 4);  // there are no more
}

TEST(Closest, RefusesWhatIsNotANumber) {
  const Tensor broken = torch::full({1, 2}, NAN, torch::kFloat64);
  EXPECT_THROW(closest(broken, torch::eye(2, torch::kFloat64), 1), Error);
}

}  // namespace
}  // namespace adassl::evaluation
