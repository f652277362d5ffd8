#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/data/views/augmented.h"
#include "adassl/data/views/view.h"
#include "support/error_message.h"

namespace adassl::testing {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<data::View> view_of(const std::vector<std::string>& assignments) {
  Config config;
  for (const std::string& assignment : assignments) config.override_with(assignment);
  auto out = make_part(data::views(), config, "views", "plain");
  config.require_all_read();
  return out;
}

std::string why(const std::vector<std::string>& assignments) {
  return error_of([&] { view_of(assignments); });
}

storage::Image picture(int64_t width, int64_t height) {
  storage::Image out = storage::make_image(width, height, 3);
  random::Sequence draws = random::Stream(3, "picture").at(0);
  for (uint8_t& value : out.pixels) value = static_cast<uint8_t>(draws.bits());
  return out;
}

std::vector<uint8_t> seen(const data::View& view, const storage::Image& image, uint32_t sample) {
  std::vector<uint8_t> out(static_cast<size_t>(3 * view.size() * view.size()));
  random::Sequence draws = random::Stream(1, "views").at(sample);
  view.see(image, draws, out);
  return out;
}

std::vector<float> seen(const data::View& view, const std::vector<float>& row, uint32_t sample) {
  std::vector<float> out(row.size());
  random::Sequence draws = random::Stream(1, "views").at(sample);
  view.see(row, draws, out);
  return out;
}

TEST(Views, AreAPureFunctionOfImageAndDraws) {
  const storage::Image image = picture(50, 47);
  for (const auto& entry : data::views()) {
    const auto view = view_of({"views.kind=" + std::string(entry.name), "views.size=16"});
    view->require_images();
    const std::vector<uint8_t> first = seen(*view, image, 0);
    int different = 0;
    for (uint32_t sample = 0; sample < 20; ++sample) {
      different += seen(*view, image, sample) == first ? 0 : 1;
      EXPECT_EQ(seen(*view, image, sample), seen(*view, image, sample)) << entry.name;
    }
    EXPECT_EQ(different == 0, entry.name == "plain") << entry.name;
  }
}

TEST(Views, SeeImagesOfAnyShape) {
  for (const auto& entry : data::views()) {
    const auto view = view_of({"views.kind=" + std::string(entry.name), "views.size=9"});
    for (const auto& [width, height] : std::vector<std::pair<int64_t, int64_t>>{
             {1, 1}, {1, 300}, {300, 1}, {9, 9}, {10, 8}, {64, 3}}) {
      for (uint32_t sample = 0; sample < 20; ++sample) {
        EXPECT_EQ(seen(*view, picture(width, height), sample).size(), 243U);
      }
    }
  }
}

TEST(Views, TheListOfOperationsMakesTheStrongView) {
  const storage::Image image = picture(61, 47);
  const auto strong = view_of({"views.kind=strong", "views.size=16"});
  const auto listed =
      view_of({"views.kind=operations", "views.size=16",
               R"(views.operations=["flip", "crop", "jitter", "grey", "blur", "solarise"])"});
  for (uint32_t sample = 0; sample < 50; ++sample) {
    EXPECT_EQ(seen(*strong, image, sample), seen(*listed, image, sample));
  }
}

TEST(Views, StrongAndWeakHaveTheRangesOfTheMethod) {
  const auto weak = data::WeakView({}).augmentation();
  EXPECT_EQ(weak.area.min, 0.8);
  EXPECT_EQ(weak.ratio.min, 0.9);
  EXPECT_EQ(weak.ratio.max, 1.1);
  EXPECT_EQ(weak.steps.size(), 2U);
  const auto strong = data::StrongView({}).augmentation();
  EXPECT_EQ(strong.area.min, 0.08);
  EXPECT_EQ(strong.ratio.max, 4.0 / 3);
  EXPECT_EQ(strong.jitter_rate, 0.8);
  EXPECT_EQ(strong.jitter.saturation, 0.2);
  EXPECT_EQ(strong.sigma.max, 2);
  EXPECT_EQ(strong.steps.size(), 6U);
}

TEST(Views, PlainSeesArraysAsTheyAre) {
  const std::vector<float> row = {1, -2, 3.5F};
  EXPECT_EQ(seen(*view_of({}), row, 1), row);
}

TEST(Views, NoiseAndMaskingChangeArrays) {
  const std::vector<float> row(20'000, 1.0F);
  const auto noisy =
      view_of({"views.kind=operations", R"(views.operations=["noise"])", "views.noise=0.5"});
  noisy->require_arrays();
  double sum = 0;
  double squares = 0;
  for (const float value : seen(*noisy, row, 1)) {
    sum += value - 1;
    squares += (value - 1) * (value - 1);
  }
  EXPECT_NEAR(sum / 20'000, 0, 4 * 0.5 / std::sqrt(20'000));
  EXPECT_NEAR(std::sqrt(squares / 20'000), 0.5, 0.011);
  const auto masked =
      view_of({"views.kind=operations", R"(views.operations=["masking"])", "views.masking=0.25"});
  const auto values = seen(*masked, row, 1);
  const auto zeros = static_cast<double>(std::ranges::count(values, 0.0F));
  EXPECT_NEAR(zeros / 20'000, 0.25, 4 * std::sqrt(0.25 * 0.75 / 20'000));
  EXPECT_EQ(static_cast<double>(std::ranges::count(values, 1.0F)), 20'000 - zeros);
}

TEST(Views, SayWhatTheyCannotSee) {
  EXPECT_THAT(error_of([] { view_of({"views.kind=strong"})->require_arrays(); }),
              HasSubstr("[views] kind = \"strong\" sees images"));
  const auto noise = view_of({"views.kind=operations", R"(views.operations=["noise"])"});
  EXPECT_THAT(error_of([&] { noise->require_images(); }), HasSubstr("got 'noise'"));
  const auto crop = view_of({"views.kind=operations"});
  EXPECT_THAT(error_of([&] { crop->require_arrays(); }), HasSubstr("got 'flip'"));
}

TEST(Views, MistakesInOptionsGetOneLine) {
  EXPECT_THAT(why({"views.kind=operations", R"(views.operations=["blur", "crop"])"}),
              HasSubstr("expected 'crop' before all operations but 'flip'"));
  EXPECT_THAT(why({"views.kind=operations", R"(views.operations=["blur", "blur"])"}),
              HasSubstr("got 'blur' twice"));
  EXPECT_THAT(why({"views.kind=operations", R"(views.operations=["sharpen"])"}),
              HasSubstr("sharpen"));
  EXPECT_THAT(why({"views.kind=weak", "views.area=[1.0, 0.5]"}),
              HasSubstr("[views] area: expected two numbers [min, max]"));
  EXPECT_THAT(why({"views.shorter=10", "views.size=20"}),
              HasSubstr("[views] shorter: expected at least size = 20, got 10"));
  EXPECT_THAT(why({"views.kind=weak", "views.jitter=0.3"}), HasSubstr("jitter"));
}

}  // namespace
}  // namespace adassl::testing
