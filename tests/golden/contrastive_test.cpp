#include <set>

#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/objective.h"
#include "adassl/model/similarity.h"
#include "golden/golden_file.h"

namespace adassl::testing {
namespace {

struct Case {
  std::string file, name;
  torch::ScalarType type;
};

std::vector<Case> all_cases() {
  std::vector<Case> out;
  for (const std::string similarity : {"isotropic", "fixed", "anisotropic", "affine", "mlp"}) {
    const GoldenFile file("contrastive_" + similarity);
    for (const auto& [name, text] : file.texts()) {
      out.push_back({"contrastive_" + similarity, name, torch::kFloat64});
      out.push_back({"contrastive_" + similarity, name, torch::kFloat32});
    }
  }
  return out;
}

class EveryContrastiveLoss : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Golden, EveryContrastiveLoss, ::testing::ValuesIn(all_cases()),
                         [](const auto& test) {
                           return test_name(test.param.file + "_" + test.param.name + "_" +
                                            name_of(test.param.type));
                         });

TEST_P(EveryContrastiveLoss, MatchesPyTorchInValueAndGradients) {
  const auto& [file_name, name, type] = GetParam();
  const double tolerance = tolerance_of(type);
  const GoldenFile file(file_name, type);
  Config config = Config::from_text(file.text(name), name);
  const bool hypersphere = config.read_text("model.space", "", "") == "hypersphere";
  struct Symmetry {
    bool symmetric = false;
    void visit(Fields& field) { field("symmetric", symmetric, ""); }
  };
  const bool symmetric = config.read<Symmetry>("model").symmetric;
  const Tensor e_x = file.leaf("input/e_x");
  const Tensor e_y = file.leaf("input/e_y");
  const Tensor y_hat = file.leaf("input/y_hat");
  const Tensor x_hat = file.leaf("input/x_hat");
  const auto objective =
      make_part(model::objectives(), config, "objective", "contrastive",
                model::ObjectiveContext{e_x.size(1), e_x.size(1), hypersphere, &config});
  config.require_all_read();
  load(*objective, file);
  objective->train();

  std::optional<model::Direction> backward;
  if (symmetric) backward = model::Direction{e_y, x_hat, e_x};
  const Tensor loss = objective->loss({e_x, y_hat, e_y}, backward);
  loss.backward();
  EXPECT_TRUE(close(loss, file.at(name + "/value/loss"), tolerance));
  expect_input_gradients({{"e_x", e_x}, {"e_y", e_y}, {"y_hat", y_hat}, {"x_hat", x_hat}}, file,
                         name, tolerance);
  expect_gradients(*objective, file, name, tolerance);
  expect_buffers(*objective, file, name + "/after", tolerance);
}

TEST(GoldenContrastive, HasAReferenceForEverySimilarity) {
  std::set<std::string> kinds;
  for (const Case& of : all_cases()) {
    Config config = Config::from_text(GoldenFile(of.file).text(of.name), of.name);
    kinds.insert(config.read_text("similarity.kind", "", ""));
  }
  for (const std::string& name : names(model::similarities())) {
    EXPECT_TRUE(kinds.contains(name)) << name;
  }
}

}  // namespace
}  // namespace adassl::testing
