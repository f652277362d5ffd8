#include <gtest/gtest.h>

#include "adassl/render/picture.h"
#include "render/pot.h"

/// What the factors do to the picture, and shadows.
namespace adassl::testing {
namespace {

using render::Factors;
using render::Scene;
using render::Vec3;

constexpr Factors kMiddle = {0, 0, 0, 0.1F, 0.1F, 0.2F, 0.2F, 0.3F, -0.5F, 0.9F};

Factors changed(size_t factor, float value) {
  Factors out = kMiddle;
  out[factor] = value;
  return out;
}

bool is_object(const Scene& scene, const render::Surface& surface) {
  return surface.point.z > scene.ground + 1e-2F;
}

/// Where the object is in the picture.
struct Place {
  double count = 0;
  double u = 0;
  double row = 0;
};

Place place_of(const Factors& raw) {
  constexpr int kSize = 100;
  const render::Camera camera;
  const Scene scene = render::make_scene(pot(), raw);
  Place out;
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      const float u = (static_cast<float>(x) + 0.5F) / kSize;
      const float row = (static_cast<float>(y) + 0.5F) / kSize;
      if (!is_object(scene, render::seen(scene, camera, camera.direction(u, row), true))) continue;
      ++out.count;
      out.u += u;
      out.row += row;
    }
  }
  out.u /= out.count;
  out.row /= out.count;
  return out;
}

storage::Image draw(const Factors& raw, int64_t samples = 16) {
  return render::render(render::make_scene(pot(), raw), {32, samples, 1},
                        random::Stream(1, "scene test"));
}

/// The mean colour of the pixels that show the object, or of the others.
Vec3 mean_colour(const Factors& raw, bool object) {
  const render::Camera camera;
  const Scene scene = render::make_scene(pot(), raw);
  const storage::Image image = draw(raw);
  Vec3 sum;
  float count = 0;
  for (int64_t p = 0; p < 32 * 32; ++p) {
    const float u = (static_cast<float>(p % 32) + 0.5F) / 32;
    const float row = (static_cast<float>(p / 32) + 0.5F) / 32;
    const auto surface = render::seen(scene, camera, camera.direction(u, row), true);
    if (is_object(scene, surface) != object) continue;
    const uint8_t* rgb = &image.pixels[static_cast<size_t>(3 * p)];
    sum += Vec3{1.0F * rgb[0], 1.0F * rgb[1], 1.0F * rgb[2]};
    ++count;
  }
  return 1 / count * sum;
}

TEST(Scene, MovesTheObjectAsItsPositionSays) {
  const Place middle = place_of(kMiddle);
  const Place forward = place_of(changed(0, 0.6F));  // towards the camera: larger and lower
  EXPECT_GT(forward.count, 1.2 * middle.count);
  EXPECT_GT(forward.row, middle.row + 0.05);
  EXPECT_NEAR(forward.u, middle.u, 0.02);
  const Place right = place_of(changed(1, 0.6F));
  EXPECT_GT(right.u, middle.u + 0.08);
  EXPECT_NEAR(right.row, middle.row, 0.02);
  const Place higher = place_of(changed(2, 0.6F));
  EXPECT_LT(higher.row, middle.row - 0.05);
  EXPECT_NEAR(higher.u, middle.u, 0.02);
}

TEST(Scene, FindsTheObjectOnlyWithinItsFrame) {
  const render::Camera camera;
  const random::Stream stream(3, "test");
  for (uint32_t i = 0; i < 40; ++i) {
    const Scene scene = render::make_scene(pot(), render::draw_factors(stream.at(i)));
    const render::Frame frame = render::frame_of(scene, camera);
    for (int p = 0; p < 900; ++p) {
      const float u = (static_cast<float>(p % 30) + 0.5F) / 30;
      const float row = (static_cast<float>(p / 30) + 0.5F) / 30;
      const bool found =
          is_object(scene, render::seen(scene, camera, camera.direction(u, row), true));
      EXPECT_TRUE(!found || frame.contains(u, row)) << i << " at " << u << ", " << row;
    }
  }
}

TEST(Scene, EveryFactorChangesThePicture) {
  for (size_t k = 0; k < render::kFactors; ++k) {
    const storage::Image a = draw(changed(k, -0.7F));
    const storage::Image b = draw(changed(k, 0.4F));
    int64_t different = 0;
    for (size_t i = 0; i < a.pixels.size(); ++i) {
      different += std::abs(a.pixels[i] - b.pixels[i]) > 8 ? 1 : 0;
    }
    EXPECT_GT(different, 30) << render::kFactorNames[k];
  }
}

TEST(Scene, OnlyPositionAndRotationMoveTheObject) {
  const Place middle = place_of(kMiddle);
  for (size_t k = 0; k < render::kFactors; ++k) {
    const Place other = place_of(changed(k, -0.7F));
    const bool same = other.count == middle.count && other.u == middle.u && other.row == middle.row;
    EXPECT_EQ(same, k >= 6) << render::kFactorNames[k];
  }
}

TEST(Scene, EachHueColoursWhatItBelongsTo) {
  const Vec3 green = mean_colour(changed(7, 0.999F), true);    // hue 1/4: yellow-green
  const Vec3 purple = mean_colour(changed(7, -0.999F), true);  // hue -1/4: violet
  EXPECT_GT(green.y, 2 * green.z);
  EXPECT_GT(purple.z, 2 * purple.y);
  // Light is not reflected twice: the ground knows nothing of the object's colour, and conversely.
  const Vec3 ground = mean_colour(changed(7, 0.999F), false);
  EXPECT_LT(length(ground - mean_colour(changed(7, -0.999F), false)), 1);
  EXPECT_GT(mean_colour(changed(9, 0.999F), false).y,
            mean_colour(changed(9, -0.999F), false).y + 30);
  EXPECT_LT(length(mean_colour(changed(9, 0.999F), true) - mean_colour(changed(9, -0.999F), true)),
            6);  // pixels at the edge show both
  const Vec3 warm = mean_colour(changed(8, 0.3F), false);
  const Vec3 cold = mean_colour(changed(8, -0.999F), false);
  EXPECT_GT(warm.y, cold.y + 1);
}

/// The share of a light's places that a point of the ground sees.
double share_of_spot(const Scene& scene, Vec3 point) {
  constexpr Vec3 kUp{0, 0, 1};
  const auto surface = render::make_surface(point, kUp, kUp, kUp, {1, 1, 1});
  int clear = 0;
  for (int i = 0; i < 256; ++i) {
    const auto light = scene.spot.at(point, (static_cast<float>(i % 16) + 0.5F) / 16,
                                     (static_cast<float>(i / 16) + 0.5F) / 16);
    clear += render::is_in_shadow(scene, surface, light.direction, light.distance) ? 0 : 1;
  }
  return clear / 256.0;
}

/// Where the axis of the spotlight, moved aside, meets the ground.
Vec3 on_ground(const Scene& scene, Vec3 aside) {
  const Vec3 from = scene.spot.position;
  const Vec3 to = scene.location + aside - from;
  return from + (scene.ground - from.z) / to.z * to;
}

TEST(Scene, TheObjectThrowsASoftShadow) {
  const Scene scene = render::make_scene(pot(), kMiddle);
  EXPECT_EQ(share_of_spot(scene, on_ground(scene, {})), 0);
  EXPECT_EQ(share_of_spot(scene, on_ground(scene, {6, 0, 0})), 1);
  double before = 0;
  int between = 0;
  for (float aside = 0; aside < 6; aside += 0.05F) {
    const double share = share_of_spot(scene, on_ground(scene, {aside, aside, 0}));
    EXPECT_GE(share, before - 0.05);  // from the umbra outwards
    between += share > 0.02 && share < 0.98 ? 1 : 0;
    before = share;
  }
  EXPECT_EQ(before, 1);
  EXPECT_GT(between, 5);
  EXPECT_LT(between, 40);
}

TEST(Scene, LightsDoNotShadeTheSideThatFacesThem) {
  const Scene scene = render::make_scene(pot(), kMiddle);
  const render::Camera above{{0, 0, 9}, {0, 1, 0}, {-1, 0, 0}, {0, 0, -1}};
  const auto top = render::seen(scene, above, {0, 0, -1}, true);
  ASSERT_TRUE(is_object(scene, top));
  EXPECT_FALSE(render::is_in_shadow(scene, top, render::kSunDirection, 1e6F));
  const auto below =
      render::make_surface({0, 0, scene.ground}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {});
  EXPECT_TRUE(render::is_in_shadow(scene, below, render::kSunDirection, 1e6F));
}

}  // namespace
}  // namespace adassl::testing
