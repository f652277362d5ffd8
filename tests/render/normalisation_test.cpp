#include <array>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/render/picture.h"
#include "render/pot.h"

/// The constants with which configurations normalise rendered teapots.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;

/// Mean and deviation of each channel, between 0 and 1.
struct Pixels {
  std::vector<double> mean, deviation;
  void visit(Fields& field) {
    field("mean", mean, "", {-10, 10});
    field("deviation", deviation, "", {0, 10});
  }
};

/// Of the pixels of some pictures. The pot for tests is another one than the real teapot, but most
/// of a picture is ground.
Pixels rendered_pixels() {
  constexpr int kPictures = 400;
  std::array<double, 3> sum{}, squares{};
  double count = 0;
  for (int i = 0; i < kPictures; ++i) {
    const random::Stream stream(1, "normalisation", static_cast<uint64_t>(i));
    random::Sequence draws = stream.named("factors").at(0);
    render::Factors factors;
    for (auto& factor : factors) factor = static_cast<float>(2 * draws.uniform() - 1);
    const storage::Image image =
        render::render(render::make_scene(pot(), factors), {16, 2, 1}, stream.named("noise"));
    for (size_t p = 0; p < image.pixels.size(); ++p) {
      const double value = image.pixels[p] / 255.0;
      sum[p % 3] += value;
      squares[p % 3] += value * value;
    }
    count += static_cast<double>(image.pixels.size()) / 3;
  }
  Pixels out;
  for (size_t c = 0; c < 3; ++c) {
    out.mean.push_back(sum[c] / count);
    out.deviation.push_back(std::sqrt(squares[c] / count - out.mean[c] * out.mean[c]));
  }
  return out;
}

TEST(TeapotConfigurations, NormaliseByTheMeanAndDeviationOfRenderedPictures) {
  const Pixels rendered = rendered_pixels();
  int configurations = 0;
  for (const auto& item : fs::directory_iterator(fs::path(ADASSL_SOURCE_DIR) / "configs")) {
    if (!item.path().filename().string().starts_with("teapots-")) continue;
    SCOPED_TRACE(item.path());
    ++configurations;
    const auto given = Config::from_file(item.path()).read<Pixels>("encoder");
    ASSERT_EQ(given.mean.size(), 3U);
    ASSERT_EQ(given.deviation.size(), 3U);
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(given.mean[c], rendered.mean[c], 0.02);
      EXPECT_NEAR(given.deviation[c], rendered.deviation[c], 0.02);
    }
  }
  EXPECT_EQ(configurations, 8);
}

}  // namespace
}  // namespace adassl::testing
