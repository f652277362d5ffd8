#include "adassl/parts/automatic.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace adassl::parts {
namespace {

std::string value_of(const std::vector<Choice>& choices, const std::string& key) {
  const auto found = std::ranges::find(choices, key, &Choice::key);
  return found == choices.end() ? "" : found->value;
}

TEST(AutomaticChoices, FitThePictures) {
  const auto small = automatic_choices({.frames = 1, .side = 32, .pairs = 10'000, .gflops = 100});
  EXPECT_EQ(value_of(small, "encoder.kind"), "\"resnet\"");
  EXPECT_EQ(value_of(small, "views.size"), "32");
  EXPECT_EQ(value_of(small, "views.kind"), "\"weak\"");
  const auto large = automatic_choices({.frames = 1, .side = 500, .pairs = 10'000, .gflops = 1e5});
  EXPECT_EQ(value_of(large, "views.size"), "64");
  EXPECT_EQ(value_of(large, "encoder.stem"), "\"small\"");
}

TEST(AutomaticChoices, TakeAnEncoderOfClipsForClips) {
  const auto clips = automatic_choices({.frames = 3, .side = 500, .pairs = 10'000, .gflops = 1e4});
  EXPECT_EQ(value_of(clips, "encoder.kind"), "\"video_cnn\"");
  EXPECT_EQ(value_of(clips, "encoder.channels"), "[8, 16, 32, 32, 64]");
  EXPECT_EQ(value_of(clips, "encoder.depth"), "");
  EXPECT_EQ(value_of(clips, "views.size"), "64");
}

TEST(AutomaticChoices, FollowTheStepsThatAreGiven) {
  const auto choices =
      automatic_choices({.frames = 1, .side = 32, .pairs = 10'000, .gflops = 100, .steps = 400});
  EXPECT_EQ(value_of(choices, "train.steps"), "400");
  EXPECT_EQ(value_of(choices, "optimizer.warmup_steps"), "20");
  EXPECT_EQ(value_of(choices, "latent.warmup_steps"), "50");
  EXPECT_EQ(value_of(choices, "train.probe_every"), "80");
}

TEST(AutomaticChoices, AreFinerOnAFasterMachine) {
  const auto steps_at = [](double gflops) {
    return std::stoll(
        value_of(automatic_choices({.frames = 1, .side = 32, .pairs = 10'000, .gflops = gflops}),
                 "train.steps"));
  };
  EXPECT_GE(steps_at(1e4), steps_at(100));
  EXPECT_GE(steps_at(1), 1000);
  EXPECT_LE(steps_at(1e9), 20'000);
}

TEST(AutomaticChoices, TakeAtMostHalfOfThePairsAsABatch) {
  EXPECT_EQ(value_of(automatic_choices({.frames = 1, .side = 64, .pairs = 100}), "train.batch"),
            "32");
  EXPECT_EQ(value_of(automatic_choices({.frames = 1, .side = 64, .pairs = 3}), "train.batch"),
            "16");
  EXPECT_EQ(value_of(automatic_choices({.shape = {6}, .pairs = 1 << 20}), "train.batch"), "512");
}

TEST(AutomaticChoices, MakeTheViewsOfOneSampleDiffer) {
  EXPECT_EQ(
      value_of(automatic_choices({.frames = 1, .side = 64, .pairs = 100, .same_sample = true}),
               "views.kind"),
      "\"strong\"");
  EXPECT_EQ(
      value_of(automatic_choices({.shape = {6}, .pairs = 100, .same_sample = true}), "views.kind"),
      "\"operations\"");
  EXPECT_EQ(value_of(automatic_choices({.shape = {6}, .pairs = 100}), "views.kind"), "");
}

}  // namespace
}  // namespace adassl::parts
