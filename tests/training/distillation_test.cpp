#include <gtest/gtest.h>

#include "support/temporary_directory.h"
#include "training/small_run.h"

namespace adassl::testing {
namespace {

SmallRun distilled(int64_t steps, const std::string& schedule = "constant") {
  return SmallRun("byol", steps,
                  {"objective.hidden=[16]", "objective.momentum=0.9",
                   "objective.schedule=" + schedule, "optimizer.schedule=cosine"});
}

/// The parameters of the encoder or of the target network, in the same order.
std::vector<Tensor> parameters_of(const SmallRun& run, const std::string& part) {
  std::vector<Tensor> out;
  for (const auto& item : run.experiment.method->named_parameters()) {
    if (item.key().starts_with(part + ".")) out.push_back(item.value().detach().clone());
  }
  return out;
}

TEST(TargetNetwork, StartsAsACopyAndIsNotTrained) {
  const SmallRun run = distilled(1);
  const auto encoder = parameters_of(run, "encoder");
  const auto target = parameters_of(run, "target");
  ASSERT_FALSE(target.empty());
  ASSERT_EQ(encoder.size(), target.size());
  for (size_t i = 0; i < target.size(); ++i) EXPECT_TRUE(torch::equal(encoder[i], target[i]));
  for (const auto& slice : run.state.parameters.slices) {
    EXPECT_FALSE(slice.name.starts_with("target.")) << slice.name;
  }
}

TEST(TargetNetwork, FollowsByItsMomentum) {
  SmallRun run = distilled(1);
  const auto before = parameters_of(run, "target");
  run.train();
  const auto encoder = parameters_of(run, "encoder");
  const auto after = parameters_of(run, "target");
  double moved = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_TRUE(torch::allclose(after[i], 0.9 * before[i] + 0.1 * encoder[i], 1e-6, 1e-8));
    moved += (after[i] - before[i]).abs().sum().item<double>();
  }
  EXPECT_GT(moved, 0);
}

TEST(TargetNetwork, StandsStillAtTheEndOfACosineSchedule) {
  SmallRun run = distilled(1, "cosine");  // the only step is the last one
  const auto before = parameters_of(run, "target");
  run.train();
  const auto after = parameters_of(run, "target");
  for (size_t i = 0; i < after.size(); ++i) EXPECT_TRUE(torch::equal(after[i], before[i]));
}

TEST(TargetNetwork, IsPartOfACheckpoint) {
  const TemporaryDirectory folder;
  SmallRun run = distilled(5);
  run.train();
  training::save_checkpoint(run.state, folder.path(), {"hash"}, 1);
  SmallRun fresh = distilled(5);
  ASSERT_TRUE(training::load_newest_checkpoint(fresh.state, folder.path(), "hash",
                                               [](const auto& line) { FAIL() << line; }));
  const auto saved = parameters_of(run, "target");
  const auto loaded = parameters_of(fresh, "target");
  for (size_t i = 0; i < saved.size(); ++i) EXPECT_TRUE(torch::equal(saved[i], loaded[i]));
}

TEST(RateScale, WarmsUpThenFallsToNearlyNothing) {
  const optim::AdamW::Options cosine{.schedule = "cosine", .warmup_steps = 4};
  EXPECT_DOUBLE_EQ(optim::rate_scale(cosine, 1, 104), 0.25);
  EXPECT_DOUBLE_EQ(optim::rate_scale(cosine, 4, 104), 1);
  EXPECT_DOUBLE_EQ(optim::rate_scale(cosine, 5, 104), 1);
  EXPECT_DOUBLE_EQ(optim::rate_scale(cosine, 55, 104), 0.5);
  EXPECT_NEAR(optim::rate_scale(cosine, 104, 104), 0, 3e-4);
  EXPECT_DOUBLE_EQ(optim::rate_scale({}, 77, 104), 1);
}

TEST(Horizon, MakesAShortRunTheBeginningOfALongOne) {
  const std::vector<std::string> scheduled = {"objective.kind=distillation",
                                              "objective.hidden=[16]", "objective.schedule=cosine",
                                              "optimizer.schedule=cosine"};
  const auto with = [&](int64_t steps, const std::string& horizon) {
    std::vector<std::string> overrides = scheduled;
    if (!horizon.empty()) overrides.push_back("train.horizon=" + horizon);
    return SmallRun("adassl-v", steps, overrides);
  };
  SmallRun whole = with(12, "");
  class StopAtSix final : public training::Observer {
    training::Flow on_step(const training::StepReport& report) override {
      return report.step == 6 ? training::Flow::kStop : training::Flow::kContinue;
    }
  };
  whole.train({std::make_shared<StopAtSix>()});
  SmallRun first_half = with(6, "12");
  first_half.train();
  SmallRun shrunk = with(6, "");
  shrunk.train();
  EXPECT_TRUE(torch::equal(whole.state.parameters.values, first_half.state.parameters.values));
  EXPECT_FALSE(torch::equal(whole.state.parameters.values, shrunk.state.parameters.values));
  EXPECT_TRUE(
      torch::equal(parameters_of(whole, "target")[0], parameters_of(first_half, "target")[0]));
}

}  // namespace
}  // namespace adassl::testing
