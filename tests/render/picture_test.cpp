#include <gtest/gtest.h>

#include "adassl/render/sheet.h"
#include "render/pot.h"

namespace adassl::testing {
namespace {

using render::Quality;

storage::Image draw(const Quality& quality, uint64_t seed = 1) {
  return render::render(render::make_scene(pot(), render::kSheetScene), quality,
                        random::Stream(seed, "picture test"));
}

/// The root of the mean square of the differences.
double distance(const storage::Image& a, const storage::Image& b) {
  double sum = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    sum += std::pow(a.pixels[i] - b.pixels[i], 2);
  }
  return std::sqrt(sum / static_cast<double>(a.pixels.size()));
}

TEST(Picture, IsAFunctionOfItsArguments) {
  const Quality quality{24, 12, 2};
  EXPECT_EQ(draw(quality).pixels, draw(quality).pixels);
  EXPECT_NE(draw(quality).pixels, draw(quality, 2).pixels);
}

TEST(Picture, ConvergesWithMoreSamples) {
  const storage::Image exact = draw({32, 512, 1, 512}, 3);
  const double few = distance(draw({32, 1, 1}), exact);
  const double usual = distance(draw({32, Quality{}.samples, 1}), exact);
  EXPECT_LT(usual, few / 2);
  EXPECT_LT(usual, 5);  // of 255
  // Where samples are left out, they would have changed little.
  constexpr int64_t kUsual = Quality{}.samples;
  EXPECT_NEAR(distance(draw({32, kUsual, 1, kUsual}), exact), usual, 0.1 * usual);
  EXPECT_LT(distance(draw({32, 256, 1}), exact), usual / 2);
}

TEST(Picture, MoreShadowRaysMakeShadowsSmoother) {
  const storage::Image exact = draw({32, 512, 1, 512}, 3);
  EXPECT_LT(distance(draw({32, 8, 16}), exact), distance(draw({32, 8, 1}), exact));
}

TEST(Picture, IsNeitherBlackNorWhite) {
  const storage::Image image = draw({32, 12, 1});
  double sum = 0;
  int white = 0;
  for (const uint8_t value : image.pixels) {
    sum += value / 255.0;
    white += value == 255 ? 1 : 0;
  }
  const auto count = static_cast<double>(image.pixels.size());
  EXPECT_GT(sum / count, 0.2);
  EXPECT_LT(sum / count, 0.5);
  EXPECT_LT(white, 0.02 * count);
}

TEST(Picture, EncodesLightForScreens) {
  EXPECT_EQ(render::srgb(-1), 0);
  EXPECT_EQ(render::srgb(0), 0);
  EXPECT_EQ(render::srgb(0.001F), 3);      // 12.92 * 0.255
  EXPECT_EQ(render::srgb(0.21586F), 128);  // ((128 / 255 + 0.055) / 1.055)^2.4
  EXPECT_EQ(render::srgb(1), 255);
  EXPECT_EQ(render::srgb(3), 255);
}

TEST(Sheet, HasARowForEachFactor) {
  const storage::Image sheet = render::sheet_of_factors(pot(), {16, 4, 1}, 3);
  EXPECT_EQ(sheet.width, 3 * 18 - 2);
  EXPECT_EQ(sheet.height, 10 * 18 - 2);
  for (int64_t k = 0; k < 10; ++k) {  // the first picture of a row is not the last one
    int different = 0;
    for (int64_t y = 18 * k; y < 18 * k + 16; ++y) {
      for (int64_t x = 0; x < 48; ++x) {
        const auto at = static_cast<size_t>(y * sheet.width * 3 + x);
        different += sheet.pixels[at] != sheet.pixels[at + 36 * 3] ? 1 : 0;
      }
    }
    EXPECT_GT(different, 20) << render::kFactorNames[static_cast<size_t>(k)];
  }
}

}  // namespace
}  // namespace adassl::testing
