#include "adassl/model/editors/lie.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/method.h"
#include "adassl/model/objectives/lie.h"
#include "adassl/nn/tensors.h"
#include "support/error_message.h"

namespace adassl::model {
namespace {

constexpr int64_t kRows = 6;

Tensor draw(int64_t columns, const std::string& purpose, int64_t rows = kRows) {
  return nn::normal(rows, columns, {5, purpose}, torch::zeros({}, torch::kFloat64));
}

/// [[0, -1], [1, 0]], which rotates by t.
Tensor rotation() { return torch::tensor({{{0.0, -1.0}, {1.0, 0.0}}}, torch::kFloat64); }

TEST(Transported, RotatesByTheCoefficient) {
  const Tensor angles = torch::tensor({0.0, 0.5, -3.0, 20.0}, torch::kFloat64);
  const Tensor e = torch::tensor({{1.0, 0.0}}, torch::kFloat64).repeat({4, 1});
  const Tensor expected = torch::stack({angles.cos(), angles.sin()}, 1);
  EXPECT_TRUE(transported(e, angles.unsqueeze(1), rotation()).allclose(expected, 1e-11, 1e-11));
}

TEST(Transported, IsTheDenseExponentialOfTheSum) {
  const int64_t d = 5, k = 3;
  const Tensor e = draw(d, "e");
  const Tensor t = draw(k, "t");
  const Tensor generators = draw(d * d, "generators", k).view({k, d, d});
  const Tensor matrices = torch::matrix_exp(torch::einsum("bk,kij->bij", {t, generators}));
  const Tensor expected = matrices.bmm(e.unsqueeze(2)).squeeze(2);
  EXPECT_TRUE(transported(e, t, generators).allclose(expected, 1e-9, 1e-9));
}

TEST(Transported, GoesBackWithTheNegativeCoefficients) {
  const Tensor e = draw(4, "e");
  const Tensor t = draw(2, "t");
  const Tensor generators = draw(16, "generators", 2).view({2, 4, 4});
  const Tensor there = transported(e, t, generators);
  EXPECT_FALSE(there.allclose(e));
  EXPECT_TRUE(transported(there, -t, generators).allclose(e, 1e-8, 1e-8));
}

TEST(Transported, RefusesGeneratorsThatExplode) {
  const Tensor e = draw(2, "e");
  EXPECT_THAT(
      testing::error_of([&] {
        transported(e, torch::full({kRows, 1}, 1e3, torch::kFloat64), rotation());
      }),
      ::testing::HasSubstr("[editor] lie: expected generators of a norm up to 64, got 141"));
}

TEST(LieEditor, StartsWithSmallGeneratorsAndChangesNothingWithoutR) {
  Config config = Config::from_text("", "test");
  const auto editor = make_part(editors(), config, "editor", "lie", EditorContext{8, 3});
  nn::initialise(*editor, 1);
  const Tensor generators = editor->named_parameters()["generators"];
  EXPECT_EQ(generators.sizes(), (std::vector<int64_t>{3, 8, 8}));
  EXPECT_NEAR(generators.std().item<double>(), 1.0 / 8, 0.02);
  const Tensor e = draw(8, "e").to(torch::kFloat32);
  EXPECT_TRUE(editor->edit(e, torch::zeros({kRows, 3})).equal(e));
}

TEST(Detour, IsWhatTransportAddsToTheDistance) {
  const auto rows = [](double a, double b) { return torch::tensor({{a}, {b}}, torch::kFloat64); };
  // The first row goes from a distance of 1 to 2, the second one from 3 to 1.
  EXPECT_NEAR(detour(rows(1, 3), rows(2, 1), rows(0, 0)).item<double>(), (4 - 1) / 2.0, 1e-12);
}

TEST(LieObjective, IsTwiceInfoNceWhereNothingIsTransported) {
  const auto loss = [](const std::string& kind) {
    Config config = Config::from_text("", "test");
    const auto objective =
        make_part(objectives(), config, "objective", kind, ObjectiveContext{4, 4, true, &config});
    objective->to(torch::kFloat64);
    const Tensor e = draw(4, "e");
    return objective->loss({e, e, draw(4, "target")}, {}).item<double>();
  };
  EXPECT_NEAR(loss("lie"), 2 * loss("contrastive"), 1e-12);
}

TEST(LieObjective, WeighsItsTerms) {
  Config config = Config::from_text("objective.transported = 0.5\nobjective.detour = 10.0", "test");
  const auto objective =
      make_part(objectives(), config, "objective", "lie", ObjectiveContext{4, 4, true, &config});
  objective->to(torch::kFloat64);
  const double loss =
      objective->loss({draw(4, "e"), draw(4, "e_hat"), draw(4, "target")}, {}).item<double>();
  std::map<std::string, double> terms;
  for (const auto& [metric, value] : objective->learned())
    terms[metric.name] = value.item<double>();
  EXPECT_GT(terms.at("detour"), 0);
  EXPECT_NEAR(loss,
              terms.at("ssl_plain") + terms.at("ssl_transported") / 2 + 10 * terms.at("detour"),
              1e-12);
}

TEST(LieObjective, RefusesEditorsThatPassROn) {
  Config config = Config::from_text(
      "method = 'custom'\nlatent.kind = 'lie'\neditor.kind = 'concat'\n"
      "objective.kind = 'lie'",
      "test");
  EXPECT_EQ(
      testing::error_of([&] {
        make_method(config, {{10}, 0, 1});
      }),
      "[objective] lie: expected an editor that keeps the width of the embedding, 11, got one "
      "that makes it 21");
}

}  // namespace
}  // namespace adassl::model
