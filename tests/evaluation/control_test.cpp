#include "adassl/evaluation/control.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/evaluation/control_factors.h"
#include "adassl/evaluation/groups_of_r.h"
#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

using testing::draws;
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

 protected:
  static Tensor turned(const Tensor& point, const Tensor& angle) {
    const Tensor x = point.select(1, 0), y = point.select(1, 1);
    return torch::stack({x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos()}, 1);
  }
};

/// Beside a and b, x shows a texture that is no factor, and there is a factor that x does not show.
class CirclesWithNoise : public Circles {
 public:
  Shape shape() const override {
    return {.observation = {6}, .columns = {{"a"}, {"b"}, {"unseen"}}};
  }
  void make_pair(int64_t number, random::Sequence draws,
                 const data::PairPlace& out) const override {
    add(draws, out.x, out.factors);
    add(draws, out.x_plus, out.factors_plus);
    data::PairPlace circles = out;
    if (!out.factors.empty()) circles.factors = out.factors.first(2);
    if (!out.factors_plus.empty()) circles.factors_plus = out.factors_plus.first(2);
    Circles::make_pair(number, draws, circles);
  }
  Samples samples(const std::string& population, const random::Stream& stream,
                  int64_t count) const override {
    Samples circles = Circles::samples(population, stream, count);
    Samples out{make_array({count, 6}), make_array({count, 3})};
    for (int64_t i = 0; i < count; ++i) {
      std::ranges::copy(row_of(circles.x, i), row_of(out.x, i).begin());
      std::ranges::copy(row_of(circles.known, i), row_of(out.known, i).begin());
      random::Sequence draws = stream.named("noise").at(static_cast<uint32_t>(i));
      add(draws, row_of(out.x, i), row_of(out.known, i));
    }
    return out;
  }

 private:
  static void add(random::Sequence& draws, std::span<float> x, std::span<float> factors) {
    const double texture = 2 * M_PI * draws.uniform(), unseen = draws.uniform();
    x[4] = static_cast<float>(std::cos(texture) / std::sqrt(2.0));
    x[5] = static_cast<float>(std::sin(texture) / std::sqrt(2.0));
    if (!factors.empty()) factors[2] = static_cast<float>(unseen);
  }
};

/// As Turns, but the last dimension of r turns the texture.
class TurnsTexture : public Turns {
 public:
  Tensor predict(const Tensor& e, const Tensor& r) override {
    return torch::cat({Turns::predict(e.narrow(1, 0, 4), r.narrow(1, 0, 4)),
                       turned(e.narrow(1, 4, 2), r.select(1, 3))},
                      1);
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

TEST(Control, LeavesAGroupUnnamedThatChangesNoReadableFactor) {
  TurnsTexture method;
  const Results results = results_of(Control({}), method, CirclesWithNoise());
  const nlohmann::json& record = results.records.at(0).rest;
  nlohmann::json dims;
  for (const auto& group : record["groups"]) dims[group["name"].get<std::string>()] = group["dims"];
  EXPECT_EQ(dims, nlohmann::json::parse(R"({"a": [0, 2], "b": [1], "r4": [3]})"));
  EXPECT_EQ(record["readable"], (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(results.metrics.at("readable_factors"), 2);
  EXPECT_EQ(results.metrics.at("control_groups"), 2);
}

TEST(Control, OfReadableFactorsIsNotDilutedByOthers) {
  TurnsTexture method;
  const Results results = results_of(Control({}), method, CirclesWithNoise());
  EXPECT_LT(results.metrics.at("control_share"), 0.6) << "the unseen factor changes at random";
  EXPECT_GT(results.metrics.at("control_share_readable"), 0.8);
  EXPECT_NEAR(results.metrics.at("control_share_readable_free"), 0.5, 0.02);
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

TEST(Control, HasNoShareWhereNoGroupChangesAReadableFactor) {
  class OnlyTexture : public TurnsTexture {
    Tensor predict(const Tensor& e, const Tensor& r) override {
      const Tensor still = torch::zeros_like(r.narrow(1, 0, 3));
      return TurnsTexture::predict(e, torch::cat({still, r.narrow(1, 3, 1)}, 1));
    }
  };
  OnlyTexture method;
  const Results results = results_of(Control({}), method, CirclesWithNoise());
  EXPECT_EQ(results.metrics.at("control_groups"), 0);
  EXPECT_FALSE(results.metrics.contains("control_share"));
  EXPECT_FALSE(results.metrics.contains("control_share_readable"));
  EXPECT_EQ(results.records.at(0).rest["groups"].at(0)["name"], "r4");
}

TEST(ReadableFactors, AreThoseThatTheMapExplains) {
  const std::vector<Column> columns = {
      {"number"}, {"angle", Column::Kind::kAngle}, {"class", Column::Kind::kClass, 3}, {"noise"}};
  const Tensor number = draws(200, 1, "number"), angle = draws(200, 1, "angle");
  const Tensor shown = torch::cat({number, angle.cos(), angle.sin()}, 1);
  const Tensor targets = torch::cat({shown, draws(200, 1, "noise")}, 1);
  const AffineMap map{torch::eye(3, 4, torch::kFloat64), torch::zeros(4, torch::kFloat64)};
  const Tensor expected = torch::tensor({true, true, false});
  EXPECT_TRUE(readable_factors(columns, map, shown, targets).equal(expected));
}

TEST(ReadableFactors, DoNotIncludeOneThatNeverVaries) {
  const Tensor same = torch::ones({8, 1}, torch::kFloat64);
  const AffineMap map{torch::zeros({1, 1}, torch::kFloat64), torch::ones(1, torch::kFloat64)};
  EXPECT_FALSE(readable_factors({{"constant"}}, map, same, same).item<bool>());
}

/// Changes of three factors: expected ones of 0.1, 0.5 and 0.5, and more of them when sampled.
int64_t factor_changed_by(const std::vector<double>& more, const std::vector<bool>& readable) {
  const Tensor expected = torch::tensor({0.1, 0.5, 0.5}, torch::kFloat64).expand({100, 3});
  const Tensor noise = 0.1 * draws(100, 3, "noise");
  const Tensor sampled = expected + torch::tensor(more, torch::kFloat64) + noise - noise.mean(0);
  Tensor mask = torch::zeros(3, torch::kBool);
  for (int64_t f = 0; f < 3; ++f) mask[f] = bool(readable[static_cast<size_t>(f)]);
  return factor_changed(sampled, expected, mask);
}

TEST(FactorChanged, IsTheReadableOneThatChangesMostRelativeToTheExpectedR) {
  EXPECT_EQ(factor_changed_by({0.2, 0.3, 0.3}, {true, true, true}), 0);
  EXPECT_EQ(factor_changed_by({0.2, 0.3, 0.4}, {false, true, true}), 2);
  EXPECT_EQ(factor_changed_by({0.2, 0.3, 0.4}, {false, true, false}), 1);
}

TEST(FactorChanged, IsNoneWhereChangesAreWithinThreeStandardErrors) {
  EXPECT_EQ(factor_changed_by({0.02, 0, -0.3}, {true, true, true}), -1);
  EXPECT_EQ(factor_changed_by({0.04, 0, 0}, {true, true, true}), 0);
  EXPECT_EQ(factor_changed_by({0.2, 0.3, 0.4}, {false, false, false}), -1);
}

TEST(GroupsOfR, OfOneFactorBecomeOneAndOthersKeepTheirNames) {
  const std::vector<GroupOfR> groups = {
      {{4}, 4.5, "r5"}, {{1}, 4, "r2"}, {{0}, 3, "r1"}, {{2, 3}, 2, "r3 + r4"}};
  const auto joined = joined_by_factor(groups, {-1, 1, 1, -1}, {"a", "b"});
  ASSERT_EQ(joined.size(), 3U);
  EXPECT_EQ(joined[0].name, "b");
  EXPECT_EQ(joined[0].factor, 1);
  EXPECT_THAT(joined[0].dims, ElementsAre(0, 1));
  EXPECT_DOUBLE_EQ(joined[0].moves, 5);
  EXPECT_EQ(joined[1].name, "r5");
  EXPECT_EQ(joined[2].name, "r3 + r4");
  EXPECT_EQ(joined[2].factor, -1);
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
