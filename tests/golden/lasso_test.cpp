#include "adassl/evaluation/lasso.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "adassl/evaluation/classification.h"
#include "adassl/evaluation/dci.h"
#include "evaluation/fakes.h"
#include "golden/golden_file.h"

/// Evaluations against scikit-learn: see tools/golden/dci_cases.py.
namespace adassl::testing {
namespace {

using evaluation::LassoFit;

Tensor tensor_of(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat64);
}

class EveryRegression : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryRegression, IsThatOfScikitLearn) {
  const GoldenFile file("lasso");
  const auto at = [&](const std::string& name) { return file.at(GetParam() + "/" + name); };
  const auto fits = evaluation::lasso_cv(at("x"), at("y"), {.folds = file.number(GetParam())});
  ASSERT_EQ(static_cast<int64_t>(fits.size()), at("y").size(1));
  for (size_t f = 0; f < fits.size(); ++f) {
    const auto number = static_cast<int64_t>(f);
    const LassoFit& fit = fits[f];
    const Tensor ends = tensor_of({fit.grid.front(), fit.grid.back()});
    EXPECT_TRUE(fit.converged);
    EXPECT_TRUE(close(ends, at("ends")[number], 1e-12));
    EXPECT_TRUE(close(tensor_of(fit.errors), at("errors")[number], 1e-9));
    EXPECT_TRUE(close(tensor_of({fit.alpha}), at("alpha").narrow(0, number, 1), 1e-12));
    EXPECT_TRUE(close(fit.weights, at("weights")[number], 1e-9));
    EXPECT_TRUE(close(tensor_of({fit.intercept}), at("intercept").narrow(0, number, 1), 1e-9));
    EXPECT_EQ(fit.error, *std::ranges::min_element(fit.errors));
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, EveryRegression,
                         ::testing::Values("tall", "uneven", "three-folds",
                                           "constant-and-collinear", "wide", "unrelated",
                                           "constant-target"),
                         [](const auto& param) { return test_name(param.param); });

TEST(LassoCv, TakesItsOptions) {
  const GoldenFile file("lasso");
  const auto fits = evaluation::lasso_cv(
      file.at("options/x"), file.at("options/y"),
      {.folds = 4, .alphas = 20, .eps = 1e-2, .tolerance = 1e-9, .max_iterations = 50'000});
  EXPECT_TRUE(close(tensor_of(fits[0].grid), file.at("options/grid")[0], 1e-12));
  EXPECT_TRUE(close(tensor_of({fits[0].alpha}), file.at("options/alpha"), 1e-12));
  EXPECT_TRUE(close(fits[0].weights, file.at("options/weights")[0], 1e-9));
}

TEST(ImportanceScores, AreThoseOfTheReference) {
  const GoldenFile file("dci");
  for (const std::string name : {"fitted", "random", "gaps", "empty"}) {
    const auto scores = evaluation::importance_scores(file.at(name + "/importance"));
    EXPECT_TRUE(close(scores.codes, file.at(name + "/codes"), 1e-10)) << name;
    EXPECT_TRUE(close(scores.factors, file.at(name + "/factors"), 1e-10)) << name;
    EXPECT_TRUE(close(tensor_of({scores.disentanglement, scores.completeness}),
                      file.at(name + "/means"), 1e-10))
        << name;
  }
}

/// Observations that are codes, and their factors.
class Codes : public FakeSource {
 public:
  explicit Codes(const GoldenFile& file) : codes_(file.at("codes")), factors_(file.at("factors")) {}
  Shape shape() const override {
    return {.observation = {codes_.size(1)}, .columns = {{"a"}, {"b"}, {"c"}, {"d"}}};
  }
  std::optional<int64_t> fixed_size(const std::string&) const override { return codes_.size(0); }
  Samples samples(const std::string&, const random::Stream&, int64_t) const override {
    return {nn::array_of(codes_), nn::array_of(factors_)};
  }

 private:
  Tensor codes_, factors_;
};

TEST(Dci, OfAWholeEmbeddingIsThatOfScikitLearn) {
  const GoldenFile file("dci");
  FakeMethod method;
  const auto results = results_of(evaluation::Dci({}), method, Codes(file));
  const Tensor importance = file.at("importance");
  const auto& rows = results.records.at(0).rest.at("importance");
  for (int64_t i = 0; i < importance.size(0); ++i) {
    const auto row = rows.at(static_cast<size_t>(i)).get<std::vector<double>>();
    EXPECT_TRUE(close(tensor_of(row), importance[i], 1e-9)) << "code " << i;
  }
  EXPECT_TRUE(close(tensor_of(results.vectors.at("dci_informativeness_per_factor")),
                    file.at("informativeness"), 1e-9));
  EXPECT_TRUE(close(tensor_of({results.metrics.at("dci_disentanglement"),
                               results.metrics.at("dci_completeness")}),
                    file.at("fitted/means"), 1e-9));
}

class EveryBinaryColumn : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryBinaryColumn, HasTheF1OfScikitLearn) {
  const GoldenFile file("classification");
  const auto at = [&](const std::string& name) {
    return file.at(GetParam() + "/" + name).to(torch::kInt64);
  };
  EXPECT_NEAR(evaluation::minority_f1(at("predicted"), at("truth")),
              file.at(GetParam() + "/f1").item<double>(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Golden, EveryBinaryColumn,
                         ::testing::Values("few-positives", "few-negatives", "balanced",
                                           "no-positives", "no-positives-predicted", "neither",
                                           "all-positive"),
                         [](const auto& param) { return test_name(param.param); });

TEST(TopK, IsThatOfScikitLearn) {
  const GoldenFile file("classification");
  const Tensor truth = file.at("top/truth").to(torch::kInt64);
  std::vector<double> shares;
  for (int64_t k = 1; k < 12; ++k) {
    shares.push_back(evaluation::top_k_accuracy(file.at("top/logits"), truth, k));
  }
  EXPECT_TRUE(close(tensor_of(shares), file.at("top/shares"), 1e-12));
}

}  // namespace
}  // namespace adassl::testing
