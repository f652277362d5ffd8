#include "adassl/evaluation/control.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

using ::testing::ElementsAre;
using testing::FakeMethod;
using testing::FakeSource;
using testing::results_of;

constexpr double kWidth = 2.4;  // of a factor's uniform distribution

/// x shows two factors a and b as angles on two circles. Pairs share a.
class Circles : public FakeSource {
 public:
  Shape shape() const override { return {.observation = {4}, .columns = {{"a"}, {"b"}}}; }
  std::optional<int64_t> pair_count() const override { return 3000; }
  void make_pair(int64_t, random::Sequence draws, const data::PairPlace& out) const override {
    const double a = factor(draws), b = factor(draws), other = factor(draws);
    show(a, b, out.x, out.factors);
    show(a, other, out.x_plus, out.factors_plus);
  }
  std::vector<std::string> populations() const override { return {"train", "test"}; }
  std::string held_out() const override { return "test"; }
  std::optional<int64_t> fixed_size(const std::string& population) const override {
    if (population == "train") return {};
    return 3000;
  }
  Samples samples(const std::string& population, const random::Stream& stream,
                  int64_t count) const override {
    const random::Stream from = population == "test" ? random::Stream(7, "test") : stream;
    Samples out{make_array({count, 4}), make_array({count, 2})};
    for (int64_t i = 0; i < count; ++i) {
      random::Sequence draws = from.at(static_cast<uint32_t>(i));
      const double a = factor(draws), b = factor(draws);
      show(a, b, row_of(out.x, i), row_of(out.known, i));
    }
    return out;
  }

 private:
  static double factor(random::Sequence& draws) { return kWidth * (draws.uniform() - 0.5); }
  static void show(double a, double b, std::span<float> x, std::span<float> factors) {
    const double values[] = {std::cos(a), std::sin(a), std::cos(b), std::sin(b)};
    for (size_t k = 0; k < 4; ++k) x[k] = static_cast<float>(values[k] / std::sqrt(2.0));
    if (factors.empty()) return;
    factors[0] = static_cast<float>(a);
    factors[1] = static_cast<float>(b);
  }
};

/// r has four dimensions: the first and the third turn a, the second turns b, the last does
/// nothing.
class Turns : public FakeMethod {
 public:
  int64_t r_width() const override { return 4; }
  bool samples_r() const override { return true; }
  Tensor expected_r(const Tensor& e) override { return torch::zeros({e.size(0), 4}, e.options()); }
  Tensor imagine_r(const Tensor& e, const random::Stream& noise) override {
    return 0.4 * nn::normal(e.size(0), 4, noise, e);
  }
  Tensor predict(const Tensor& e, const Tensor& r) override {
    return torch::cat({turned(e.narrow(1, 0, 2), r.select(1, 0) - r.select(1, 2)),
                       turned(e.narrow(1, 2, 2), r.select(1, 1))},
                      1);
  }

 private:
  static Tensor turned(const Tensor& point, const Tensor& angle) {
    const Tensor x = point.select(1, 0), y = point.select(1, 1);
    return torch::stack({x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos()}, 1);
  }
};

TEST(Control, FindsGroupsAndNamesThemAfterTheFactorTheyChange) {
  Turns method;
  const Results results = results_of(Control({}), method, Circles());
  EXPECT_EQ(results.metrics.at("control_groups"), 2);
  ASSERT_EQ(results.records.size(), 1U);
  const records::Record& record = results.records[0];
  EXPECT_EQ(record.kind, records::kControl);
  ASSERT_EQ(record.rest["groups"].size(), 2U);
  EXPECT_EQ(record.rest["groups"][0]["name"], "a") << "two dimensions move more than one";
  EXPECT_EQ(record.rest["groups"][0]["dims"], (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(record.rest["groups"][1]["name"], "b");
  EXPECT_EQ(record.rest["groups"][1]["dims"], (std::vector<int64_t>{1}));
}

TEST(Control, OfAGroupForEachFactorIsNearlyOne) {
  Turns method;
  const Results results = results_of(Control({}), method, Circles());
  EXPECT_GT(results.metrics.at("control_share"), 0.85);  // neighbours differ in the other one, too
  EXPECT_LE(results.metrics.at("control_share"), 1);
  EXPECT_NEAR(results.metrics.at("control_share_free"), 0.5, 0.01);
}

TEST(Control, OfDimensionsThatTurnBothFactorsIsThatOfAllOfR) {
  class Entangled : public Turns {
    Tensor predict(const Tensor& e, const Tensor& r) override {
      const Tensor sum = r.sum(1, /*keepdim=*/true);
      return Turns::predict(e, torch::cat({sum, sum, torch::zeros_like(r.narrow(1, 0, 2))}, 1));
    }
  };
  Entangled method;
  const Results results = results_of(Control({}), method, Circles());
  EXPECT_EQ(results.metrics.at("control_groups"), 1);
  EXPECT_NEAR(results.metrics.at("control_share"), 0.5, 0.1);
}

TEST(Control, CountsTheFactorsThatChange) {
  Turns method;
  const Results results = results_of(Control({}), method, Circles());
  // Two uniform numbers are further apart than half a deviation with probability (1 - t)^2.
  const double apart = std::pow(1 - 0.5 / std::sqrt(12.0), 2);
  EXPECT_NEAR(results.metrics.at("changed_factors_pairs"), apart, 0.06);
  EXPECT_NEAR(results.metrics.at("changed_factors_random"), 2 * apart, 0.1);
  EXPECT_GT(results.metrics.at("changed_factors"), 0.5);
  EXPECT_LT(results.metrics.at("changed_factors"), 2);
}

TEST(Control, GivesTheSameNumbersTwice) {
  Turns method;
  EXPECT_EQ(results_of(Control({}), method, Circles()).metrics,
            results_of(Control({}), method, Circles()).metrics);
}

TEST(Control, NeedsAnRThatCanBeSampledAndFactors) {
  FakeMethod without;
  Turns method;
  EXPECT_EQ(Control({}).obstacle({without, Circles()}),
            "the method has no r, or cannot sample it from x alone");
  EXPECT_EQ(Control({}).obstacle({method, FakeSource()}),
            "the data provides fewer than two factors");
  EXPECT_EQ(Control({}).obstacle({method, Circles()}), "");
  EXPECT_TRUE(Control({}).fits(Circles()));
  EXPECT_FALSE(Control({}).fits(FakeSource()));
}

TEST(GroupsOfR, AreNamedByTheirDimensionsWhereNoFactorIsKnown) {
  Turns method;
  const Samples some = Circles().samples("train", {1, "some"}, 64);
  const auto groups = groups_of_r(method, nn::view(some.x), {}, {1, "noise"});
  ASSERT_EQ(groups.size(), 2U);
  std::vector<std::string> names = {groups[0].name, groups[1].name};
  std::ranges::sort(names);
  EXPECT_THAT(names, ElementsAre("r1 + r3", "r2"));
  EXPECT_GE(groups[0].moves, groups[1].moves);
}

TEST(GroupsOfR, AreNoneIfRChangesNothing) {
  class Still : public Turns {
    Tensor predict(const Tensor& e, const Tensor&) override { return e; }
  };
  Still method;
  const Samples some = Circles().samples("train", {1, "some"}, 16);
  EXPECT_TRUE(groups_of_r(method, nn::view(some.x), {}, {1, "noise"}).empty());
  EXPECT_TRUE(results_of(Control({}), method, Circles()).metrics.empty());
}

TEST(SampleSome, LeavesTheOtherDimensionsAtTheirExpectation) {
  Turns method;
  const Tensor e = torch::zeros({5, 4});
  const random::Stream noise(3, "noise");
  const Tensor r = sample_some(method, e, {1, 3}, noise);
  const Tensor all = method.imagine_r(e, noise);
  EXPECT_TRUE(r.select(1, 0).eq(0).all().item<bool>());
  EXPECT_TRUE(r.select(1, 2).eq(0).all().item<bool>());
  EXPECT_TRUE(r.select(1, 1).equal(all.select(1, 1)));
  EXPECT_TRUE(r.select(1, 3).equal(all.select(1, 3)));
}

}  // namespace
}  // namespace adassl::evaluation
