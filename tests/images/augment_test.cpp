#include "adassl/images/augment.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/golden_images.h"

namespace adassl::testing {
namespace {

using images::Adjustment;
using images::Augmentation;
using images::Box;
using images::Look;
using images::Step;

constexpr int kDraws = 20'000;

Augmentation strong() {
  return {.steps = {Step::kFlip, Step::kCrop, Step::kJitter, Step::kGrey, Step::kBlur,
                    Step::kSolarise}};
}

/// Looks of a CelebA image.
std::vector<Look> looks_of(const Augmentation& augmentation) {
  const random::Stream stream(11, "looks");
  std::vector<Look> out;
  for (int i = 0; i < kDraws; ++i) {
    random::Sequence draws = stream.at(static_cast<uint32_t>(i));
    out.push_back(images::draw(augmentation, 178, 218, draws));
  }
  return out;
}

/// A share of kDraws that has probability p is within four standard deviations of it.
void expect_rate(double count, double total, double p) {
  EXPECT_NEAR(count / total, p, 4 * std::sqrt(p * (1 - p) / total));
}

TEST(Augment, WholeViewsEqualTorchvisions) {
  const GoldenImages golden;
  const std::vector<Look> looks = {
      {true, Box{11, 3, 37, 41},
       images::ColourChange{{Adjustment::kHue, Adjustment::kContrast, Adjustment::kBrightness,
                             Adjustment::kSaturation},
                            {0.07, 1.3, 0.8, 1.15}},
       false, 1.3, true},
      {false, Box{0, 0, 60, 50}, {}, true, {}, false},
      {true, Box{30, 20, 17, 19}, {}, false, 0.4, false},
      {false, Box{5, 9, 50, 33},
       images::ColourChange{{Adjustment::kBrightness, Adjustment::kSaturation, Adjustment::kHue,
                             Adjustment::kContrast},
                            {1.39, 0.81, -0.1, 0.61}},
       true, 2.0, true}};
  const storage::Image image = golden.image("image");
  ASSERT_EQ(golden.below("view/").size(), looks.size());
  for (size_t i = 0; i < looks.size(); ++i) {
    std::vector<uint8_t> out(3 * 24 * 24);
    images::apply(strong(), looks[i], image, 24, out);
    EXPECT_EQ(largest_difference(out, golden.bytes("view/" + std::to_string(i))), 0) << i;
  }
}

TEST(Augment, RatesAreThoseOfTheMethod) {
  double flips = 0, jitters = 0, greys = 0, blurs = 0, solarised = 0;
  for (const Look& look : looks_of(strong())) {
    flips += look.mirrored;
    jitters += look.colour.has_value();
    greys += look.grey;
    blurs += look.sigma.has_value();
    solarised += look.solarised;
  }
  expect_rate(flips, kDraws, 0.5);
  expect_rate(jitters, kDraws, 0.8);
  expect_rate(greys, kDraws, 0.2);
  expect_rate(blurs, kDraws, 0.5);
  expect_rate(solarised, kDraws, 0.2);
}

TEST(Augment, SigmaIsUniform) {
  double sum = 0, squares = 0, count = 0;
  for (const Look& look : looks_of(strong())) {
    if (!look.sigma) continue;
    ASSERT_GE(*look.sigma, 0.1);
    ASSERT_LE(*look.sigma, 2);
    sum += *look.sigma;
    squares += *look.sigma * *look.sigma;
    ++count;
  }
  const double mean = sum / count;
  const double deviation = 1.9 / std::sqrt(12);
  EXPECT_NEAR(mean, 1.05, 4 * deviation / std::sqrt(count));
  EXPECT_NEAR(std::sqrt(squares / count - mean * mean), deviation, 0.01);
}

TEST(Augment, AllOrdersOfTheJitterAreEquallyLikely) {
  std::map<std::array<Adjustment, 4>, int> orders;
  std::map<Adjustment, std::array<double, 3>> amounts;  // least, most, sum
  double total = 0;
  for (const Look& look : looks_of(strong())) {
    if (!look.colour) continue;
    ++orders[look.colour->order];
    ++total;
    for (size_t i = 0; i < 4; ++i) {
      auto& [least, most, sum] =
          amounts.try_emplace(look.colour->order[i], std::array<double, 3>{9, -9, 0}).first->second;
      const double amount = look.colour->amounts[i];
      least = std::min(least, amount);
      most = std::max(most, amount);
      sum += amount;
    }
  }
  ASSERT_EQ(orders.size(), 24U);
  for (const auto& [order, count] : orders) expect_rate(count, total, 1.0 / 24);
  const std::map<Adjustment, std::pair<double, double>> ranges = {
      {Adjustment::kBrightness, {0.6, 1.4}},
      {Adjustment::kContrast, {0.6, 1.4}},
      {Adjustment::kSaturation, {0.8, 1.2}},
      {Adjustment::kHue, {-0.1, 0.1}}};
  for (const auto& [adjustment, range] : ranges) {
    const auto& [least, most, sum] = amounts.at(adjustment);
    const double width = range.second - range.first;
    EXPECT_GE(least, range.first);
    EXPECT_LE(most, range.second);
    EXPECT_LT(least, range.first + 0.01 * width);
    EXPECT_GT(most, range.second - 0.01 * width);
    EXPECT_NEAR(sum / total, (range.first + range.second) / 2, 4 * width / std::sqrt(12 * total));
  }
}

/// Area and aspect of crops of a square image so large that rounding does not matter. Every first
/// try with an area below 3/4 fits, so such areas are uniform and their aspects log-uniform.
TEST(Augment, AreaIsUniformAndAspectLogUniform) {
  const random::Stream stream(13, "crops");
  double small = 0, below_half = 0, wide = 0, area_sum = 0, log_sum = 0, log_squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    random::Sequence draws = stream.at(static_cast<uint32_t>(i));
    const Box box =
        images::random_resized_crop(10'000, 10'000, {0.08, 0.7}, {3.0 / 4, 4.0 / 3}, draws);
    ASSERT_GE(box.left, 0);
    ASSERT_LE(box.left + box.width, 10'000);
    ASSERT_LE(box.top + box.height, 10'000);
    const double area = static_cast<double>(box.width * box.height) / 1e8;
    const double aspect =
        std::log(static_cast<double>(box.width) / static_cast<double>(box.height));
    area_sum += area;
    below_half += area < 0.39;
    small += area < 0.142;
    wide += aspect > 0;
    log_sum += aspect;
    log_squares += aspect * aspect;
  }
  EXPECT_NEAR(area_sum / kDraws, 0.39, 4 * 0.62 / std::sqrt(12.0 * kDraws));
  expect_rate(below_half, kDraws, 0.5);
  expect_rate(small, kDraws, 0.1);
  expect_rate(wide, kDraws, 0.5);
  const double deviation = 2 * std::log(4.0 / 3) / std::sqrt(12.0);
  EXPECT_NEAR(log_sum / kDraws, 0, 4 * deviation / std::sqrt(kDraws));
  EXPECT_NEAR(std::sqrt(log_squares / kDraws), deviation, 0.003);
}

TEST(Augment, WeakCropsStayLarge) {
  const Augmentation weak{
      .steps = {Step::kFlip, Step::kCrop}, .area = {0.8, 1}, .ratio = {0.9, 1.1}};
  for (const Look& look : looks_of(weak)) {
    ASSERT_TRUE(look.box);
    // 178/218 is below the smallest ratio: what does not fit becomes the central box.
    const double ratio =
        static_cast<double>(look.box->width) / static_cast<double>(look.box->height);
    ASSERT_GT(ratio, 0.88);
    ASSERT_LT(ratio, 1.12);
    ASSERT_FALSE(look.colour || look.grey || look.sigma || look.solarised);
  }
}

TEST(Augment, AnImpossibleCropIsTheCentralBox) {
  random::Sequence draws = random::Stream(1, "narrow").at(0);
  EXPECT_EQ(images::random_resized_crop(10, 1000, {0.9, 1}, {0.75, 1.25}, draws),
            (Box{0, 493, 10, 13}));
  EXPECT_EQ(images::random_resized_crop(1000, 10, {0.9, 1}, {0.75, 1.2}, draws),
            (Box{494, 0, 12, 10}));
}

TEST(Augment, APixelCanBeSeen) {
  const storage::Image pixel{1, 1, 3, {10, 20, 30}};
  random::Sequence draws = random::Stream(1, "pixel").at(0);
  const Augmentation augmentation{.steps = {Step::kFlip, Step::kCrop}};
  std::vector<uint8_t> out(3 * 4 * 4);
  images::apply(augmentation, images::draw(augmentation, 1, 1, draws), pixel, 4, out);
  EXPECT_EQ(out[0], 10);
  EXPECT_EQ(out[47], 30);
}

}  // namespace
}  // namespace adassl::testing
