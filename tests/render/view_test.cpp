#include <gtest/gtest.h>

#include "adassl/render/camera.h"
#include "adassl/render/factors.h"
#include "adassl/render/lights.h"
#include "adassl/render/surface.h"

/// Camera, colours, lights and the surface, each against its formula.
namespace adassl::testing {
namespace {

using render::Camera;
using render::Factors;
using render::LightAt;
using render::Vec3;

constexpr float kObjectSize = 4.442F;

void expect_near(Vec3 a, Vec3 b, float tolerance = 1e-5F) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Camera, ProjectsKnownPoints) {
  const Camera camera;
  const auto origin = camera.project({0, 0, 0});
  EXPECT_NEAR(origin.u, 0.5, 1e-6);
  EXPECT_NEAR(origin.row, 0.5, 1e-6);
  EXPECT_NEAR(origin.depth, 8 * std::sqrt(2.0), 1e-5);
  const auto right = camera.project({0, 2, 0});
  EXPECT_NEAR(right.u, 0.5 + 0.7 * 2 / (8 * std::sqrt(2.0)), 1e-6);
  EXPECT_NEAR(right.row, 0.5, 1e-6);
  const auto above = camera.project({0, 0, 2});  // it is nearer than the origin, and higher
  EXPECT_NEAR(above.row, 0.5 - 0.7 * std::sqrt(2.0) / (7 * std::sqrt(2.0)), 1e-6);
}

TEST(Camera, DirectionsBelongToProjections) {
  const Camera camera;
  for (const Vec3 point : {Vec3{1, 2, -1}, Vec3{-3, -2, 5}, Vec3{0, 0, -4.4F}}) {
    const auto [u, row, depth] = camera.project(point);
    expect_near(camera.direction(u, row), render::normalised(point - camera.position));
  }
  const float angle = 2 * std::acos(dot(camera.view, camera.direction(0, 0.5F)));
  EXPECT_NEAR(angle * 180 / render::kPi, 71.08, 0.01);
}

TEST(Factors, HaveTheRangesOf3DIdent) {
  const Factors low = render::physical({-1, -1, -1, -1, -1, -1, -1, -1, -1, -1});
  for (size_t k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(low[k], -3);
  for (size_t k = 3; k < 10; ++k) EXPECT_FLOAT_EQ(low[k], -render::kPi / 2);
  Factors sum{}, squares{};
  constexpr int kCount = 20000;
  const random::Stream stream(1, "test");
  for (uint32_t i = 0; i < kCount; ++i) {
    const Factors raw = render::draw_factors(stream.at(i));
    const Factors z = render::standardised(raw);
    for (size_t k = 0; k < 10; ++k) {
      EXPECT_LT(std::abs(raw[k]), 1);
      sum[k] += z[k] / kCount;
      squares[k] += z[k] * z[k] / kCount;
    }
  }
  for (size_t k = 0; k < 10; ++k) {
    EXPECT_NEAR(sum[k], 0, 5 / std::sqrt(kCount));
    EXPECT_NEAR(squares[k], 1, 5 / std::sqrt(kCount));
  }
}

TEST(Factors, AHueIsAPlaceOnTheCircleOfColours) {
  expect_near(render::hsv(0, 1, 1), {1, 0, 0});
  expect_near(render::hsv(1.0F / 12, 1, 1), {1, 0.5F, 0});
  expect_near(render::hsv(1.0F / 3, 1, 1), {0, 1, 0});
  expect_near(render::hsv(0.5F, 1, 1), {0, 1, 1});
  expect_near(render::hsv(2.0F / 3, 1, 0.5F), {0, 0, 0.5F});
  expect_near(render::hsv(1.0F / 6, 0.6F, 1), {1, 1, 0.4F});
  // Negative hues go on round the circle, where the original script left the range of colours.
  expect_near(render::hsv(-0.25F, 1, 1), render::hsv(0.75F, 1, 1));
  expect_near(render::hsv(-1.0F / 12, 1, 1), {1, 0, 0.5F});
  for (float hue = -0.25F; hue < 0.25F; hue += 0.001F) {
    const Vec3 step = render::hsv(hue + 0.001F, 1, 1) - render::hsv(hue, 1, 1);
    EXPECT_LT(render::length(step), 0.01F) << hue;  // without jumps
  }
}

TEST(Rotation, TurnsAboutXThenYThenZ) {
  const float quarter = render::kPi / 2;
  expect_near(render::euler({quarter, 0, 0}).apply({0, 1, 0}), {0, 0, 1}, 1e-6F);
  expect_near(render::euler({0, quarter, 0}).apply({0, 0, 1}), {1, 0, 0}, 1e-6F);
  expect_near(render::euler({0, 0, quarter}).apply({1, 0, 0}), {0, 1, 0}, 1e-6F);
  expect_near(render::euler({quarter, 0, quarter}).apply({0, 1, 0}), {0, 0, 1}, 1e-6F);
  const render::Rotation any = render::euler({0.3F, -1.2F, 0.8F});
  expect_near(any.undo(any.apply({1, 2, 3})), {1, 2, 3}, 1e-5F);
}

TEST(Spotlight, StandsOnItsArcAndAimsAtTheObject) {
  const Vec3 target{1, -2, 0.5F};
  const auto at = [&](float theta) {
    return render::make_spotlight(theta, kObjectSize, target, {1, 1, 1});
  };
  expect_near(at(0).position, {0, 4, 10.442F});
  expect_near(at(render::kPi / 2).position, {4, 0, 10.442F});
  expect_near(at(-render::kPi / 2).position, {-4, 0, 10.442F});
  expect_near(at(0.7F).axis, render::normalised(target - at(0.7F).position));
}

TEST(Spotlight, HasTheStrengthOfAPointAndItsColour) {
  const auto spot = render::make_spotlight(0, kObjectSize, {0, 0, 2.221F}, {1, 0.2F, 0.5F});
  const LightAt light = spot.at({0, 0, 2.221F}, 0, 0.3F);  // from the middle of the disc
  const float square = 16 + 8.221F * 8.221F;
  expect_near(light.irradiance, 3000 / (4 * render::kPi * square) * Vec3{1, 0.2F, 0.5F}, 1e-4F);
  EXPECT_NEAR(light.distance, std::sqrt(square), 1e-4);
  EXPECT_NEAR(light.irradiance.x, 2.9, 0.1);
}

TEST(Spotlight, IsASoftDisc) {
  const auto spot = render::make_spotlight(0, kObjectSize, {0, 0, 0}, {1, 1, 1});
  const Vec3 point{0.5F, 1, 0};
  for (const float b : {0.0F, 0.25F, 0.6F}) {
    const LightAt light = spot.at(point, 1, b);
    const Vec3 source = point + light.distance * light.direction;
    EXPECT_NEAR(render::length(source - spot.position), 0.5, 1e-4);
    EXPECT_NEAR(dot(source - spot.position, render::normalised(spot.position - point)), 0, 1e-4);
  }
}

TEST(Spotlight, HasAConeWithASoftEdge) {
  const auto degrees = [](double angle) {
    return render::cone(static_cast<float>(std::cos(angle * render::kPi / 180)));
  };
  EXPECT_EQ(degrees(0), 1);
  EXPECT_EQ(degrees(16.5), 1);  // the blend ends where the cosine is 0.9583, at 16.6 degrees
  EXPECT_EQ(degrees(17.6), 0);
  EXPECT_GT(degrees(17.1), degrees(17.3));
  EXPECT_GT(degrees(17.3), 0);
  EXPECT_LT(degrees(16.8), 1);
}

TEST(Spotlight, ReachesAllThatItLights) {
  const auto spot = render::make_spotlight(0.4F, kObjectSize, {1, 1, 1}, {1, 1, 1});
  random::Sequence draws = random::Stream(2, "test").at(0);
  const auto draw = [&] { return static_cast<float>(draws.uniform()); };
  int lit = 0;
  int denied = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 point{20 * draw() - 10, 20 * draw() - 10, -4.4F};
    const bool is_lit = spot.at(point, draw(), draw()).irradiance.x > 0;
    const bool may = spot.may_reach(point);
    EXPECT_TRUE(may || !is_lit);
    lit += is_lit ? 1 : 0;
    denied += may ? 0 : 1;
  }
  EXPECT_GT(lit, 2000);
  EXPECT_GT(denied, 10000);
}

TEST(AreaLight, ShinesDownwards) {
  const render::AreaLight area;
  EXPECT_NEAR(area.at({0, 0, 2}, 0.5F, 0.5F).irradiance.x, 50 / render::kPi / 25, 1e-5);
  EXPECT_EQ(area.at({0, 0, 8}, 0.5F, 0.5F).irradiance.x, 0);
  const float aside = 50 / render::kPi / 50 * std::sqrt(0.5F);
  EXPECT_NEAR(area.at({5, 0, 2}, 0.5F, 0.5F).irradiance.x, aside, 1e-5);
}

TEST(Surface, IsNearlyLambertian) {
  const Vec3 up{0, 0, 1};
  const Vec3 eye = render::normalised({0.5F, 0, 1});
  const auto surface = render::make_surface({}, up, up, eye, {0.5F, 0, 1});
  for (const float angle : {0.0F, 0.5F, 1.0F}) {
    const Vec3 out = render::reflected(surface, {0, std::sin(angle), std::cos(angle)});
    EXPECT_NEAR(out.z, std::cos(angle) / render::kPi, 0.02) << angle;
    EXPECT_NEAR(out.x, 0.5 * std::cos(angle) / render::kPi, 0.02) << angle;
    EXPECT_LT(out.y, 0.02) << angle;
  }
  EXPECT_EQ(render::reflected(surface, {0, 0.8F, -0.6F}), Vec3{});
  // The gloss is brightest in the mirror's direction.
  const Vec3 mirror{-eye.x, 0, eye.z};
  EXPECT_GT(render::reflected(surface, mirror).y,
            10 * render::reflected(surface, {0.9F, 0, 0.43F}).y);
}

}  // namespace
}  // namespace adassl::testing
