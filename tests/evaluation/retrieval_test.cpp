#include "adassl/evaluation/retrieval.h"

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/nn/fused.h"
#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

using testing::array_of;
using testing::FakeMethod;
using testing::FakeSource;
using testing::results_of;

constexpr int64_t kSources = 4;
constexpr int64_t kEach = 16;

/// Points in the plane that move by one of 4 x 4 steps. No two steps are equally long.
class Steps : public FakeSource {
 public:
  explicit Steps(bool tells = true) : tells_(tells) {}
  Shape shape() const override { return {{2}, tells_ ? 2 : 0, 0, 0}; }
  Batch pairs(const random::Stream& stream, int64_t count) const override {
    Batch batch;
    batch.x = make_array({count, 2});
    batch.x_plus = make_array({count, 2});
    batch.change = make_array({count, 2});
    for (int64_t i = 0; i < count; ++i) {
      random::Sequence draws = stream.at(static_cast<uint32_t>(i));
      for (size_t k = 0; k < 2; ++k) {
        const size_t at = static_cast<size_t>(2 * i) + k;
        batch.x.values[at] = static_cast<float>(4 * draws.uniform() - 2);
        batch.change.values[at] = static_cast<float>(2 * draws.uniform() - 1);
        batch.x_plus.values[at] = batch.x.values[at] + batch.change.values[at];
      }
    }
    return batch;
  }
  std::optional<Futures> futures(const random::Stream&, int64_t, int64_t sources,
                                 int64_t each) const override {
    std::vector<std::vector<double>> x, x_plus, change;
    for (int64_t s = 0; s < sources; ++s) {
      x.push_back({s % 2 == 0 ? -1.5 : 1.5, s / 2 == 0 ? -1.5 : 1.5});
      for (int64_t j = 0; j < each; ++j) {
        change.push_back(step(j));
        x_plus.push_back({x.back()[0] + change.back()[0], x.back()[1] + change.back()[1]});
      }
    }
    Futures out;
    out.x = array_of(x);
    out.x_plus = array_of(x_plus);
    out.change = array_of(change);
    return out;
  }

 protected:
  virtual std::vector<double> step(int64_t j) const {
    return {0.4 * static_cast<double>(j % 4) - 0.55, 0.41 * static_cast<double>(j / 4) - 0.52};
  }

 private:
  bool tells_;
};

/// Only two of the 16 futures look different: (0.1, 0.1) and (0.6, 0.6).
class Repeated : public Steps {
 protected:
  std::vector<double> step(int64_t j) const override {
    return j % 2 == 0 ? std::vector<double>{0.1, 0.1} : std::vector<double>{0.6, 0.6};
  }
};

Tensor on_torus(const Tensor& x) { return torch::cat({x.cos(), x.sin()}, 1); }

/// Embeds as a torus, and tells equal observations in different rows of a block slightly apart, as
/// convolutions may. Without r it predicts no change.
class Still : public FakeMethod {
 public:
  Tensor predict(const Tensor& e, const Tensor&) override { return on_torus(e); }
  Tensor target(const Tensor& x_plus) override {
    const Tensor row = torch::arange(x_plus.size(0), x_plus.options()).unsqueeze(1);
    return on_torus(x_plus) + 1e-4 * row;
  }
};

/// Knows that r = (2 change_y - 1, -change_x) moves x by the change.
class World : public Still {
 public:
  World() { weight_ = register_parameter("weight", torch::tensor({{0.0F, -1.0F}, {0.5F, 0.0F}})); }
  int64_t r_width() const override { return 2; }
  Tensor predict(const Tensor& e, const Tensor& r) override {
    return on_torus(e + (r + torch::tensor({1.0F, 0.0F})).matmul(weight_.t()));
  }
  Tensor target(const Tensor& x_plus) override { return on_torus(x_plus); }

 private:
  Tensor weight_;
};

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
    const nn::WithPrecision with(precision);
    return results_of(wide, method, Steps()).metrics.at("retrieval_error");
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
  // Half of the futures are nearest and look alike, the other half come next.
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

TEST(Kinds, NumberEqualRowsAlike) {
  const Kinds found = kinds(array_of({{1, 2}, {3, 4}, {1, 2}, {1, 4}, {3, 4}, {1, 2}}));
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
