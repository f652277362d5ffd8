#include "adassl/evaluation/neighbours.h"

#include <gtest/gtest.h>

namespace adassl::evaluation {
namespace {

Tensor rows(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat64).view({-1, 2});
}

Tensor vote_of(const Tensor& queries, const Tensor& known, const Tensor& labels, int64_t classes,
               int64_t k) {
  return vote(find_neighbours(queries, known, k), labels, classes);
}

TEST(FindNeighbours, GivesTheNearestRowsFirst) {
  const Tensor known = rows({0, 1, 1, 1, 2, 0, 1, 0});
  const Neighbours near = find_neighbours(rows({1, 0, 0, 3}), known, 3);
  EXPECT_TRUE(
      torch::equal(near.rows, torch::tensor({2, 3, 1, 0, 1, 2}, torch::kInt64).view({2, 3})));
  EXPECT_NEAR(near.similarity[0][2].item<double>(), std::sqrt(0.5), 1e-12);
  EXPECT_EQ(find_neighbours(rows({1, 0}), known, 9).rows.size(1), 4);
}

TEST(FindNeighbours, IsDoneOnceForSeveralColumnsOfLabels) {
  const Neighbours near = find_neighbours(rows({1, 0}), rows({1, 0, 1, 0.1, 0, 1}), 2);
  EXPECT_EQ(vote(near, torch::tensor({2, 2, 0}, torch::kInt64), 3).item<int64_t>(), 2);
  EXPECT_EQ(vote(near, torch::tensor({1, 0, 0}, torch::kInt64), 2).item<int64_t>(), 1);
}

TEST(Vote, IsWonByTheMajority) {
  const Tensor known = rows({1, 0, 1, 0.1, 1, -0.2, 0, 1});
  const Tensor labels = torch::tensor({0, 1, 1, 2}, torch::kInt64);
  EXPECT_EQ(vote_of(rows({1, 0}), known, labels, 3, 1).item<int64_t>(), 0);
  EXPECT_EQ(vote_of(rows({1, 0}), known, labels, 3, 3).item<int64_t>(), 1);
  EXPECT_EQ(vote_of(rows({0, 5}), known, labels, 3, 1).item<int64_t>(),
            2);  // lengths do not matter
}

TEST(Vote, BreaksTiesByNearnessThenByNumber) {
  const Tensor labels = torch::tensor({1, 0}, torch::kInt64);
  EXPECT_EQ(vote_of(rows({1, 0}), rows({1, 0.1, 1, 0.2}), labels, 2, 2).item<int64_t>(), 1);
  EXPECT_EQ(vote_of(rows({1, 0}), rows({1, 0, 2, 0}), labels, 2, 2).item<int64_t>(), 0);
  // Of two equally similar rows only the first votes, and there are no more votes than rows.
  EXPECT_EQ(vote_of(rows({1, 0}), rows({1, 0, 2, 0}), labels, 2, 1).item<int64_t>(), 1);
  EXPECT_EQ(vote_of(rows({1, 0}), rows({1, 0.1, 1, 0.2}), labels, 2, 9).item<int64_t>(), 1);
}

TEST(Nearest, IsTheFirstOfEqualRows) {
  const Tensor gallery = rows({0, 1, 3, 3, 1, 1, 1, 1});
  EXPECT_EQ(nearest(rows({0.1, 5}), gallery).item<int64_t>(), 0);
  const Tensor twice = nearest(rows({1, 0.9, 0.9, 1}), rows({-1, 0, 1, 1, 1, 1}));
  EXPECT_TRUE(torch::equal(twice, torch::tensor({1, 1}, torch::kInt64)));
}

}  // namespace
}  // namespace adassl::evaluation
