#include "adassl/evaluation/dci.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/evaluation/columns.h"
#include "adassl/evaluation/lasso.h"
#include "evaluation/fakes.h"
#include "support/error_message.h"

namespace adassl::evaluation {
namespace {

using testing::draws;
using ::testing::ElementsAre;
using testing::FakeMethod;
using testing::FakeSource;
using ::testing::HasSubstr;
using testing::results_of;

constexpr int64_t kFactors = 4;

Tensor importance_of(std::vector<double> values, int64_t factors) {
  return torch::tensor(values, torch::kFloat64).view({-1, factors});
}

/// Four independent factors; x = factors times a matrix. The held-out samples are a list.
class Mixed : public FakeSource {
 public:
  explicit Mixed(Tensor mixing) : mixing_(std::move(mixing)) {}

  Shape shape() const override {
    return {.observation = {mixing_.size(1)}, .columns = {{"a"}, {"b"}, {"c"}, {"d"}}};
  }
  std::vector<std::string> populations() const override { return {"fresh", "fixed"}; }
  std::string held_out() const override { return "fixed"; }
  std::optional<int64_t> fixed_size(const std::string& population) const override {
    if (population != "fixed") return {};
    return 600;
  }
  Samples samples(const std::string& population, const random::Stream&,
                  int64_t count) const override {
    asked.emplace_back(population, count);
    const Tensor factors =
        nn::uniform(count, kFactors, {3, "factors"}, torch::empty({0}, torch::kFloat32));
    return {nn::array_of(factors.matmul(mixing_)), nn::array_of(factors)};
  }
  mutable std::vector<std::pair<std::string, int64_t>> asked;

 private:
  Tensor mixing_;
};

/// A point on a circle and a number, and as factors the angle and the number.
class Circle : public FakeSource {
 public:
  Shape shape() const override {
    return {.observation = {3}, .columns = {{"turn", Column::Kind::kAngle}, {"number"}}};
  }
  Samples samples(const std::string&, const random::Stream&, int64_t count) const override {
    const Tensor draw = nn::uniform(count, 2, {4, "circle"}, torch::empty({0}, torch::kFloat32));
    const Tensor angle = draw.select(1, 0) * (2 * std::numbers::pi);
    const Tensor number = draw.select(1, 1);
    return {nn::array_of(torch::stack({angle.cos(), angle.sin(), number}, 1)),
            nn::array_of(torch::stack({angle, number}, 1))};
  }
};

Tensor eye() { return torch::eye(kFactors, torch::kFloat32); }

/// An orthogonal matrix whose entries all have the same size.
Tensor rotation() {
  const Tensor two = torch::tensor({{1.0F, 1.0F}, {1.0F, -1.0F}});
  return torch::kron(two, two) / 2;
}

TEST(ImportanceScores, AreOneForOneCodeEach) {
  const ImportanceScores scores = importance_scores(torch::eye(5, torch::kFloat64) * 0.3);
  EXPECT_NEAR(scores.disentanglement, 1, 1e-9);
  EXPECT_NEAR(scores.completeness, 1, 1e-9);
}

TEST(ImportanceScores, AreZeroForEqualSharesAndForNothing) {
  for (const double value : {2.0, 0.0}) {
    const ImportanceScores scores = importance_scores(torch::full({6, 3}, value, torch::kFloat64));
    EXPECT_NEAR(scores.disentanglement, 0, 1e-9);
    EXPECT_NEAR(scores.completeness, 0, 1e-9);
    EXPECT_EQ(scores.codes.numel(), 6);
    EXPECT_EQ(scores.factors.numel(), 3);
  }
}

TEST(ImportanceScores, WeighCodesAndFactorsByTheirShare) {
  // Code 0 serves two of four factors equally, code 1 a third one with three times its weight.
  const auto scores = importance_scores(importance_of({1, 1, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0}, 4));
  EXPECT_NEAR(scores.codes[0].item<double>(), 0.5, 1e-9);  // log 2 / log 4
  EXPECT_NEAR(scores.codes[1].item<double>(), 1, 1e-9);
  EXPECT_EQ(scores.codes[2].item<double>(), 0);
  EXPECT_NEAR(scores.disentanglement, (2 * 0.5 + 6 * 1) / 8, 1e-9);
  EXPECT_NEAR(scores.completeness, 1, 1e-9);
}

TEST(ImportanceScores, AreIncompleteWhereTwoCodesShareAFactor) {
  const auto scores = importance_scores(importance_of({1, 0, 1, 0, 0, 2, 0, 0}, 2));
  EXPECT_NEAR(scores.disentanglement, 1, 1e-9);
  EXPECT_NEAR(scores.factors[0].item<double>(), 0.5, 1e-9);
  EXPECT_NEAR(scores.completeness, 0.75, 1e-9);
}

TEST(Dci, IsOneWhenEachCodeIsAFactor) {
  FakeMethod method;
  const Results results = results_of(Dci({}), method, Mixed(eye()));
  EXPECT_GT(results.metrics.at("dci_disentanglement"), 0.999);
  EXPECT_GT(results.metrics.at("dci_completeness"), 0.999);
  EXPECT_GT(results.metrics.at("dci_informativeness"), 0.999);
  EXPECT_EQ(results.metrics.at("dci_converged"), 1);
}

TEST(Dci, OfARotationIsInformativeButNotDisentangled) {
  FakeMethod method;
  const Results results = results_of(Dci({}), method, Mixed(rotation()));
  EXPECT_LT(results.metrics.at("dci_disentanglement"), 0.01);
  EXPECT_LT(results.metrics.at("dci_completeness"), 0.01);
  EXPECT_GT(results.metrics.at("dci_informativeness"), 0.999);
}

TEST(Dci, GivesCodesWithoutInformationNothing) {
  FakeMethod method;
  Tensor mixing = torch::cat({eye(), torch::zeros({kFactors, 1})}, 1);
  const Results results = results_of(Dci({}), method, Mixed(mixing));
  EXPECT_EQ(results.vectors.at("dci_disentanglement_per_code").back(), 0);
  EXPECT_GT(results.metrics.at("dci_disentanglement"), 0.999);
  mixing.select(1, 1).zero_();  // now the second factor is nowhere
  const Results less = results_of(Dci({}), method, Mixed(mixing));
  EXPECT_LT(less.vectors.at("dci_informativeness_per_factor").at(1), 0.05);
  EXPECT_NEAR(less.metrics.at("dci_informativeness"), 0.75, 0.05);
}

TEST(Dci, NamesItsRegressorAndTheFactorsAndKeepsTheMatrix) {
  FakeMethod method;
  const Results results = results_of(Dci({}), method, Mixed(eye()));
  for (const char* name : {"dci_disentanglement", "dci_completeness", "dci_informativeness"}) {
    EXPECT_THAT(results.descriptions.at(name).about, HasSubstr("LassoCV"));
  }
  EXPECT_THAT(results.descriptions.at("dci_completeness_per_factor").entries,
              ElementsAre("a", "b", "c", "d"));
  ASSERT_EQ(results.records.size(), 1U);
  const auto& record = results.records.front();
  EXPECT_EQ(record.kind, records::kImportance);
  EXPECT_EQ(record.rest.at("importance").size(), 4U);
  EXPECT_NEAR(record.rest.at("importance").at(2).at(2).get<double>(), 1, 0.01);
}

TEST(Dci, LooksAtAsManyHeldOutSamplesAsThereAre) {
  FakeMethod method;
  const Mixed source(eye());
  results_of(Dci({}), method, source);
  results_of(Dci({.samples = 100}), method, source);
  EXPECT_THAT(source.asked, ElementsAre(std::pair("fixed", 600), std::pair("fixed", 100)));
}

TEST(Dci, PredictsAnAngleAsValueOrOnTheCircle) {
  FakeMethod method;
  const Results value = results_of(Dci({.samples = 2000}), method, Circle());
  const Results circle = results_of(Dci({.samples = 2000, .angles = "circle"}), method, Circle());
  // The R2 of a line in sin(t) for t in (0, 2 pi) is 6 / pi^2.
  EXPECT_NEAR(value.vectors.at("dci_informativeness_per_factor").at(0), 6 / (M_PI * M_PI), 0.03);
  EXPECT_GT(circle.vectors.at("dci_informativeness_per_factor").at(0), 0.999);
  EXPECT_EQ(circle.records.at(0).rest.at("importance").at(0).size(), 2U);
  EXPECT_GT(circle.metrics.at("dci_disentanglement"), 0.999);
  EXPECT_NEAR(circle.vectors.at("dci_completeness_per_factor").at(0),
              1 - std::log(2.0) / std::log(3.0), 0.01);  // two codes of three
}

TEST(Dci, NeedsTwoFactors) {
  class One : public FakeSource {
    Shape shape() const override { return {.observation = {2}, .columns = {{"a"}}}; }
  };
  FakeMethod method;
  EXPECT_EQ(Dci({}).obstacle({method, One()}), "the data provides a single factor");
  EXPECT_EQ(Dci({}).obstacle({method, FakeSource()}), "the data provides no factors");
  EXPECT_EQ(Dci({}).obstacle({method, Circle()}), "");
  const Mixed few(eye());  // 600 samples
  EXPECT_EQ(Dci({.folds = 100}).obstacle({method, few}), "");
  EXPECT_EQ(Dci({.folds = 301}).obstacle({method, few}),
            "there are fewer than 602 held-out samples");
}

TEST(Dci, RunsByDefaultOnListsOfSamplesWithSeveralFactors) {
  class Motion : public Mixed {
   public:
    using Mixed::Mixed;
    Shape shape() const override {
      Shape out = Mixed::shape();
      out.continues = true;
      return out;
    }
  };
  EXPECT_TRUE(Dci({}).fits(Mixed(eye())));
  EXPECT_FALSE(Dci({}).fits(Motion(eye())));
  EXPECT_FALSE(Dci({}).fits(Circle())) << "its samples are made without end";
  EXPECT_FALSE(Dci({}).fits(FakeSource()));
}

TEST(LassoCv, RefusesFewerRowsThanItCanDivide) {
  const Tensor x = draws(9, 2, "x");
  EXPECT_THAT(testing::error_of([&] { lasso_cv(x, x); }),
              HasSubstr("expected at least two rows for each of 5 folds, got 9"));
}

TEST(Dci, OfEmbeddingsThatAreNotFiniteIsNotFiniteEither) {
  class Diverged : public FakeMethod {
   public:
    Tensor represent(const Tensor& x) override { return x * NAN; }
  };
  Diverged method;
  const Results results = results_of(Dci({}), method, Mixed(eye()));
  for (const char* name : {"dci_disentanglement", "dci_completeness", "dci_informativeness"}) {
    EXPECT_TRUE(std::isnan(results.metrics.at(name))) << name;
  }
  EXPECT_EQ(results.metrics.at("dci_converged"), 0);
}

TEST(LassoCv, SaysSoWhenItStopsEarly) {
  const Tensor x = draws(50, 1, "x").matmul(draws(1, 4, "w")) + 0.01 * draws(50, 4, "noise");
  const Tensor y = x.sum(1, true) + draws(50, 1, "y");
  EXPECT_FALSE(lasso_cv(x, y, {.tolerance = 1e-12, .max_iterations = 2})[0].converged);
  EXPECT_TRUE(lasso_cv(x, y)[0].converged);
}

TEST(LassoCv, TakesEveryColumnOfYForItself) {
  const Tensor x = draws(60, 3, "x"), y = draws(60, 2, "y") + x.narrow(1, 0, 2);
  const auto both = lasso_cv(x, y);
  const auto second = lasso_cv(x, y.narrow(1, 1, 1));
  EXPECT_TRUE(torch::allclose(both[1].weights, second[0].weights, 1e-10, 1e-12));
  EXPECT_NEAR(both[1].intercept, second[0].intercept, 1e-12);
}

TEST(Columns, ScoreAnAngleByItsCosineAndSineTogether) {
  const std::vector<Column> columns = {{"number"}, {"turn", Column::Kind::kAngle}};
  const Samples samples{{}, testing::array_of({{5, 0}, {6, M_PI / 2}, {7, -M_PI}})};
  const Tensor targets = targets_of(columns, samples);
  EXPECT_TRUE(torch::allclose(
      targets, torch::tensor({{5.0, 1.0, 0.0}, {6.0, 0.0, 1.0}, {7.0, -1.0, 0.0}}, torch::kFloat64),
      1e-6, 1e-6));
  const Tensor wrong_sine = targets * torch::tensor({1.0, 1.0, 0.0}, torch::kFloat64);
  const Tensor r2 = r_squared_by_factor(columns, wrong_sine, targets);
  EXPECT_NEAR(r2[0].item<double>(), 1, 1e-12);
  EXPECT_NEAR(r2[1].item<double>(), 1 - 1 / (2 + 2.0 / 3), 1e-6);
  EXPECT_THAT(factor_names(columns), ElementsAre("number", "turn"));
}

}  // namespace
}  // namespace adassl::evaluation
