#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/method.h"
#include "golden/draws.h"
#include "golden/golden_file.h"

namespace adassl::testing {
namespace {

using Case = std::tuple<std::string, torch::ScalarType>;

/// One step of a whole model, from parameters, running statistics and views that both sides draw.
class EveryModel : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Golden, EveryModel,
    ::testing::Combine(::testing::Values("adassl_v", "adassl_s", "adassl_v_target",
                                         "adassl_s_target", "adassl_v_concat", "adassl_gt",
                                         "hinfonce", "byol", "byol_forward", "byol_v", "byol_s",
                                         "byol_v_target", "byol_future", "byol_gt", "beta_vae",
                                         "adagvae", "liessl", "liessl_forward"),
                       ::testing::Values(torch::kFloat64, torch::kFloat32)),
    [](const auto& test) {
      return std::get<0>(test.param) + "_" + name_of(std::get<1>(test.param));
    });

TEST_P(EveryModel, MatchesPyTorchInLossAndEveryGradient) {
  const auto& [name, type] = GetParam();
  const double tolerance = tolerance_of(type);
  const GoldenFile file("model_" + name, type);
  const uint64_t seed = std::stoull(file.text("seed"));
  const int64_t step = file.number("step");
  Config config = Config::from_text(file.text("config"), name);
  const auto method =
      model::make_method(config, {file.numbers("observation"), file.number("change"), seed});
  config.require_all_read();
  method->to(type);
  disturb(*method, seed);
  method->train();

  const model::Views views = views_of(file, seed, step);
  for (auto [input, leaf] : named(views)) {
    if (leaf.defined()) leaf.requires_grad_();
  }
  const model::Loss loss =
      method->forward(views, step, {seed, "noise", static_cast<uint64_t>(step - 1)});
  loss.total.backward();
  EXPECT_TRUE(close(loss.total, file.at("value/loss"), tolerance));
  for (const auto& [term, tensor] : loss.terms) {
    if (term.name == "beta") continue;
    EXPECT_TRUE(close(tensor, file.at("value/" + term.name), tolerance)) << term.name;
  }
  for (const auto& [input, leaf] : named(views)) {
    const bool expected = file.has("digest/input/" + input);
    ASSERT_EQ(leaf.defined() && leaf.grad().defined(), expected) << "gradient of input " << input;
    if (!expected) continue;
    EXPECT_TRUE(close(digest(leaf.grad()), file.at("digest/input/" + input), tolerance))
        << "gradient of input " << input;
  }
  expect_gradients(*method, file, "all", tolerance);
  expect_buffers(*method, file, "after", tolerance);
}

}  // namespace
}  // namespace adassl::testing
