#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/method.h"
#include "golden/golden_file.h"

namespace adassl::testing {
namespace {

using Case = std::tuple<std::string, torch::ScalarType>;

/// One step of a whole model whose parameters, running statistics and views the file gives.
class EveryModel : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Golden, EveryModel,
                         ::testing::Combine(::testing::Values("adassl_v", "adassl_s",
                                                              "adassl_v_target", "adassl_s_target",
                                                              "adassl_gt", "hinfonce"),
                                            ::testing::Values(torch::kFloat64, torch::kFloat32)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + name_of(std::get<1>(test.param));
                         });

TEST_P(EveryModel, MatchesPyTorchInLossAndEveryGradient) {
  const auto& [name, type] = GetParam();
  const double tolerance = tolerance_of(type);
  const GoldenFile file("model_" + name, type);
  const uint64_t seed = std::stoull(file.text("seed"));
  const int64_t step = std::stoll(file.text("step"));
  Config config = Config::from_text(file.text("config"), name);
  const auto method = model::make_method(config, {{10}, /*change=*/5, seed});
  config.require_all_read();
  load(*method, file);
  method->train();

  Named inputs;
  for (const auto& [input, tensor] : file.below("input")) {
    inputs.emplace_back(input, file.leaf("input/" + input));
  }
  const auto view = [&](const std::string& wanted) {
    for (const auto& [input, leaf] : inputs) {
      if (input == wanted) return leaf;
    }
    return Tensor();
  };
  const model::Loss loss = method->forward(
      {view("x"), view("x_plus"), view("helper"), view("mirror_helper"), view("change")}, step,
      {seed, "noise", static_cast<uint64_t>(step - 1)});
  loss.total.backward();
  EXPECT_TRUE(close(loss.total, file.at("value/loss"), tolerance));
  for (const auto& [term, tensor] : loss.terms) {
    if (term == "beta") continue;
    EXPECT_TRUE(close(tensor, file.at("value/" + term), tolerance)) << term;
  }
  expect_input_gradients(inputs, file, "all", tolerance);
  expect_gradients(*method, file, "all", tolerance);
  expect_buffers(*method, file, "after", tolerance);
}

}  // namespace
}  // namespace adassl::testing
