#include "adassl/evaluation/futures.h"

#include <cmath>

#include <gtest/gtest.h>

#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

using testing::array_of;
using testing::FakeMethod;
using testing::FakeSource;
using testing::results_of;

/// x is an angle. The futures turn it; futures 0 and 1, 2 and 3, ... look the same. The factor of
/// future j is the number of its pair: 0, 0, 1, 1, ...
class Turns : public FakeSource {
 public:
  Shape shape() const override {
    return {.observation = {1}, .change = 1, .columns = {{"turn"}}, .continues = true};
  }
  Futures futures(const random::Stream&, int64_t, int64_t sources, int64_t each) const override {
    std::vector<std::vector<double>> x, x_plus, pair;
    for (int64_t s = 0; s < sources; ++s) {
      x.push_back({0.3 * static_cast<double>(s)});
      for (int64_t j = 0; j < each; ++j) {
        pair.push_back({static_cast<double>(j / 2)});
        x_plus.push_back({x.back()[0] + pair.back()[0] / 5});
      }
    }
    Futures out;
    out.x = array_of(x);
    out.x_plus = array_of(x_plus);
    out.change = array_of(pair);
    out.factors_plus = array_of(pair);
    return out;
  }
};

/// Imagines a turn by a number of fifths for each row: the number of the row modulo `several`.
class Turner : public FakeMethod {
 public:
  explicit Turner(int64_t several) : several_(several) {}
  int64_t r_width() const override { return 1; }
  Tensor imagine_r(const Tensor& e, const random::Stream&) override {
    return (torch::arange(e.size(0), torch::kInt64) % several_).to(e.options()).unsqueeze(1);
  }
  Tensor predict(const Tensor& e, const Tensor& r) override { return target(e + r / 5); }
  Tensor target(const Tensor& x) override { return torch::cat({x.cos(), x.sin()}, 1); }

 private:
  int64_t several_;
};

const SampledFutures suite({.sources = 3, .futures = 8, .draws = 4});

TEST(Futures, OfAPerfectImaginationAreAllFound) {
  Turner method(4);
  const Results results = results_of(suite, method, Turns());
  EXPECT_EQ(results.metrics.at("distinct_futures"), 4);
  EXPECT_NEAR(results.metrics.at("true_distinct"), 4 * (1 - std::pow(0.75, 4)), 1e-12);
  // 0, 1, 2, 3 once each, against twice each: sums of squares 5 and 10.
  EXPECT_NEAR(results.metrics.at("future_spread"), std::sqrt(5.0 / 3) / std::sqrt(10.0 / 7), 1e-9);
}

TEST(Futures, OfNoImaginationAreOne) {
  Turner method(1);
  const Results results = results_of(suite, method, Turns());
  EXPECT_EQ(results.metrics.at("distinct_futures"), 1);
  EXPECT_EQ(results.metrics.at("future_spread"), 0);
}

TEST(Futures, OfHalfAnImaginationAreHalf) {
  Turner method(2);
  EXPECT_EQ(results_of(suite, method, Turns()).metrics.at("distinct_futures"), 2);
}

TEST(Futures, AreNoQuestionWhereASourceHasNone) {
  Turner method(2);
  EXPECT_TRUE(results_of(suite, method, FakeSource()).metrics.empty());
}

TEST(Futures, AreNumberedByTheFirstThatLooksTheSame) {
  Turner method(4);
  const Turns source;
  const torch::NoGradGuard no_grad;
  const Tensor found =
      imagined_futures(method, source.futures({1, "futures"}, 0, 2, 8), 4, {1, "noise"});
  const Tensor expected = torch::tensor({0, 2, 4, 6}, torch::kInt64).repeat({2, 1});
  EXPECT_TRUE(torch::equal(found, expected));
}

TEST(ExpectedDistinct, OfEqualAndOfDifferentValues) {
  EXPECT_NEAR(expected_distinct({5, 5, 5}, 10), 1, 1e-12);
  EXPECT_NEAR(expected_distinct({1, 2}, 1), 1, 1e-12);
  EXPECT_NEAR(expected_distinct({1, 2}, 2), 1.5, 1e-12);
  EXPECT_NEAR(expected_distinct({1, 2, 2, 2}, 2), 2 - 9.0 / 16 - 1.0 / 16, 1e-12);
}

}  // namespace
}  // namespace adassl::evaluation
