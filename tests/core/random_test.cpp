#include "adassl/core/random.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"

namespace adassl::random {
namespace {

constexpr int kDraws = 200'000;
constexpr double kSigmas = 5;  // seeds are fixed: these tests always pass or always fail

struct Moments {
  double mean = 0;
  double variance = 0;
};

template <class Draw>
Moments moments(Draw draw) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

/// How far the mean of kDraws values of this variance may lie from its expectation.
double tolerance(double variance) { return kSigmas * std::sqrt(variance / kDraws); }

double chi_square(const std::vector<int>& counts, double expected) {
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

/// Mean plus kSigmas standard deviations of chi-square; its right tail is heavier, so add some.
double chi_square_limit(double freedom) { return freedom + (kSigmas + 2) * std::sqrt(2 * freedom); }

double correlation(Sequence a, Sequence b) {
  double product = 0;
  for (int i = 0; i < kDraws; ++i) product += a.normal() * b.normal();
  return product / kDraws;
}

TEST(Philox, MatchesThePublishedKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Sequence, UniformHasItsMomentsAndNoEnds) {
  Sequence draws = Stream(1, "uniform").at(0);
  double lowest = 1;
  double highest = 0;
  const Moments found = moments([&] {
    const double u = draws.uniform();
    lowest = std::min(lowest, u);
    highest = std::max(highest, u);
    return u;
  });
  EXPECT_NEAR(found.mean, 0.5, tolerance(1.0 / 12));
  EXPECT_NEAR(found.variance, 1.0 / 12, tolerance(1.0 / 180));
  EXPECT_GT(lowest, 0);
  EXPECT_LT(highest, 1);
}

TEST(Sequence, NormalHasItsFirstFourMoments) {
  Sequence first = Stream(2, "normal").at(0);
  const Moments found = moments([&] { return first.normal(); });
  EXPECT_NEAR(found.mean, 0, tolerance(1));
  EXPECT_NEAR(found.variance, 1, tolerance(2));
  Sequence again = Stream(2, "normal").at(0);
  const Moments cubes = moments([&] { return std::pow(again.normal(), 3); });
  EXPECT_NEAR(cubes.mean, 0, tolerance(15));
  Sequence once_more = Stream(2, "normal").at(0);
  const Moments fourth = moments([&] { return std::pow(once_more.normal(), 4); });
  EXPECT_NEAR(fourth.mean, 3, tolerance(96));
}

TEST(Sequence, NormalsOfOnePairAreUncorrelated) {
  Sequence draws = Stream(3, "pairs").at(0);
  const Moments found = moments([&] {
    const double a = draws.normal();
    return a * draws.normal();
  });
  EXPECT_NEAR(found.mean, 0, tolerance(1));
}

TEST(Sequence, GammaHasMeanAndVarianceOfItsShape) {
  for (const double shape : {0.3, 1.0, 4.5}) {
    Sequence draws = Stream(4, "gamma").at(0);
    const Moments found = moments([&] { return draws.gamma(shape); });
    EXPECT_NEAR(found.mean, shape, tolerance(shape)) << shape;
    EXPECT_NEAR(found.variance, shape, tolerance(2 * shape * shape + 6 * shape)) << shape;
  }
}

TEST(Sequence, GammaWantsAPositiveShape) {
  Sequence draws = Stream(4, "gamma").at(0);
  EXPECT_THROW(draws.gamma(0), Error);
  EXPECT_THROW(draws.gamma(std::nan("")), Error);
}

TEST(Sequence, BernoulliIsTrueWithItsProbability) {
  for (const double p : {0.0, 0.03, 0.5, 1.0}) {
    Sequence draws = Stream(5, "bernoulli").at(0);
    const Moments found = moments([&] { return draws.bernoulli(p) ? 1.0 : 0.0; });
    EXPECT_NEAR(found.mean, p, tolerance(p * (1 - p))) << p;
  }
}

TEST(Sequence, BelowIsUniform) {
  Sequence draws = Stream(6, "below").at(0);
  std::vector<int> counts(7);
  for (int i = 0; i < kDraws; ++i) ++counts.at(draws.below(7));
  EXPECT_LT(chi_square(counts, kDraws / 7.0), chi_square_limit(6));
}

TEST(Sequence, BelowTakesEveryPositiveBound) {
  Sequence draws = Stream(7, "below").at(0);
  EXPECT_EQ(draws.below(1), 0U);
  const uint64_t large = (uint64_t{1} << 63) + 1;  // half of all draws are rejected
  for (int i = 0; i < 1000; ++i) EXPECT_LT(draws.below(large), large);
  EXPECT_LT(draws.below(UINT64_MAX), UINT64_MAX);
  EXPECT_THROW(draws.below(0), Error);
}

TEST(Stream, IsAPureFunctionOfItsNames) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Stream(8, "noise", 3).at(5).bits(), Stream(8, "noise", 3).at(5).bits());
  }
}

TEST(Stream, DoesNotCareForTheOrderOfEvaluation) {
  const Stream stream(9, "order", 2);
  std::vector<double> forward(50);
  std::vector<double> backward(50);
  for (uint32_t i = 0; i < 50; ++i) forward[i] = stream.at(i).normal();
  for (uint32_t i = 50; i-- > 0;) {
    Stream(1, "disturbance").at(i).normal();
    backward[i] = stream.at(i).normal();
  }
  EXPECT_EQ(forward, backward);
}

TEST(Stream, DiffersInSeedPurposeStepAndSample) {
  std::set<uint32_t> firsts;
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40}) {
    for (const char* purpose : {"", "noise", "noisf"}) {
      for (const uint64_t step : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32}) {
        const Stream stream(seed, purpose, step);
        for (const uint32_t sample : {0U, 1U, ~0U}) {
          firsts.insert(stream.at(sample).bits());
          firsts.insert(stream.named("other").at(sample).bits());
        }
      }
    }
  }
  EXPECT_EQ(firsts.size(), 3U * 3 * 3 * 3 * 2);
}

TEST(Stream, DiffersWithoutCorrelation) {
  const Stream base(10, "base", 7);
  const double limit = tolerance(1);
  EXPECT_NEAR(correlation(base.at(0), base.at(1)), 0, limit);
  EXPECT_NEAR(correlation(base.at(0), Stream(10, "base", 8).at(0)), 0, limit);
  EXPECT_NEAR(correlation(base.at(0), Stream(11, "base", 7).at(0)), 0, limit);
  EXPECT_NEAR(correlation(base.at(0), Stream(10, "other", 7).at(0)), 0, limit);
  EXPECT_NEAR(correlation(base.at(0), base.named("base").at(0)), 0, limit);
}

TEST(Stream, FirstDrawsOfSuccessiveSamplesAreIndependent) {
  const Stream stream(12, "samples");
  uint32_t sample = 0;
  const Moments found = moments([&] { return stream.at(sample++).normal(); });
  EXPECT_NEAR(found.mean, 0, tolerance(1));
  EXPECT_NEAR(found.variance, 1, tolerance(2));
}

TEST(Permutation, HoldsEveryNumberOnce) {
  for (const int64_t count : {0, 1, 2, 1000}) {
    std::vector<int64_t> order = permutation(count, Stream(15, "order"));
    std::sort(order.begin(), order.end());
    ASSERT_EQ(static_cast<int64_t>(order.size()), count);
    for (int64_t i = 0; i < count; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
  }
}

TEST(Permutation, IsUniformOverAllOrders) {
  std::vector<int> counts(256);
  constexpr int kTrials = 48'000;
  for (uint64_t step = 0; step < kTrials; ++step) {
    const auto order = permutation(4, Stream(16, "orders", step));
    ++counts.at(static_cast<size_t>(order[0] * 64 + order[1] * 16 + order[2] * 4 + order[3]));
  }
  counts.erase(std::remove(counts.begin(), counts.end(), 0), counts.end());
  ASSERT_EQ(counts.size(), 24U);
  EXPECT_LT(chi_square(counts, kTrials / 24.0), chi_square_limit(23));
}

}  // namespace
}  // namespace adassl::random
