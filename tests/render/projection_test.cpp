#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/render/scene.h"

/// Where a box with the extents of 3DIdent's teapot is in pictures of 224 x 224 pixels. The
/// expectations are computed here from the formulas of the original, and from nothing of render.
namespace adassl::testing {
namespace {

using render::Factors;
using render::Scene;

constexpr int kSize = 224;
constexpr double kLow[] = {1.5 * -1.402, 1.5 * -1.559, 1.5 * -0.907};
constexpr double kHigh[] = {1.5 * 1.559, 1.5 * 1.402, 1.5 * 1.093};
constexpr double kLargest = 1.5 * 2.961;  // D, of x and y

/// Bit k of a corner's number says whether it is at the high end of axis k.
std::array<double, 3> corner(int number) {
  const auto end = [&](int k) { return (number >> k & 1) != 0 ? kHigh[k] : kLow[k]; };
  return {end(0), end(1), end(2)};
}

const render::Object& box() {
  static const render::Object object([] {
    std::string text;
    for (int k = 0; k < 8; ++k) {
      const auto [x, y, z] = corner(k);
      text += join("v ", x, " ", y, " ", z, "\n");
    }
    text += "f 1 2 4 3\nf 5 6 8 7\nf 1 2 6 5\nf 3 4 8 7\nf 1 3 7 5\nf 2 4 8 6\n";
    return render::parse_obj(text, "box");
  }());
  return object;
}

/// A place in the picture, in pixels from its upper left corner.
struct Pixel {
  double u = 0;
  double row = 0;
};

/// The camera stands at (8, 0, 8), right = (0, 1, 0), up = (-1, 0, 1) / sqrt 2, view =
/// (-1, 0, -1) / sqrt 2, and the focal length is 0.7 W.
Pixel projected(std::array<double, 3> point) {
  const auto [x, y, z] = point;
  const double depth = (8 - x + 8 - z) / std::numbers::sqrt2;
  const double up = (8 - x + z - 8) / std::numbers::sqrt2;
  return {kSize / 2.0 + 0.7 * kSize * y / depth, kSize / 2.0 - 0.7 * kSize * up / depth};
}

/// Turned by pi/2 raw_3..5 about x, then y, then z, and moved to 3 raw_0..2 + (0, 0, D/2).
std::array<double, 3> posed(std::array<double, 3> point, const Factors& raw) {
  constexpr double kQuarter = std::numbers::pi / 2;
  for (size_t axis = 0; axis < 3; ++axis) {
    const double s = std::sin(kQuarter * raw[3 + axis]), c = std::cos(kQuarter * raw[3 + axis]);
    double& a = point[(axis + 1) % 3];
    double& b = point[(axis + 2) % 3];
    const double before = a;
    a = c * a - s * b;
    b = s * before + c * b;
  }
  return {point[0] + 3 * raw[0], point[1] + 3 * raw[1], point[2] + 3 * raw[2] + kLargest / 2};
}

/// A rectangle of the picture, in pixels.
struct Rectangle {
  double left = kSize, right = 0, top = kSize, bottom = 0;

  void add(Pixel at) {
    left = std::min(left, at.u);
    right = std::max(right, at.u);
    top = std::min(top, at.row);
    bottom = std::max(bottom, at.row);
  }
};

Rectangle expected_rectangle(const Factors& raw) {
  Rectangle out;
  for (int k = 0; k < 8; ++k) out.add(projected(posed(corner(k), raw)));
  return out;
}

/// The pixels whose centres show the object.
Rectangle seen_rectangle(const Scene& scene) {
  const render::Camera camera;
  Rectangle out;
  for (int p = 0; p < kSize * kSize; ++p) {
    const Pixel at{p % kSize + 0.5, p / kSize + 0.5};
    const auto direction =
        camera.direction(static_cast<float>(at.u / kSize), static_cast<float>(at.row / kSize));
    const auto surface = render::seen(scene, camera, direction, true);
    if (surface.point.z > scene.ground + 1e-2F) out.add(at);
  }
  return out;
}

constexpr Factors kPoses[] = {
    {}, {-0.5F, -0.2F, -0.4F, 0.5F, -0.3F, 0.7F}, {-0.2F, 0.1F, -0.9F, -0.6F, 0.4F, -0.5F}};

TEST(Projection, PutsTheCornersOfTheTeapotWhere3DIdentDoes) {
  const render::Camera camera;
  // Of the corner (2.3385, 2.103, 1.6395), raised by D/2: v = (-5.6615, 2.103, -4.13975), depth =
  // 9.80125 / sqrt 2, v.up = 1.52175 / sqrt 2.
  const auto [u, row, depth] = camera.project({2.3385F, 2.103F, 1.6395F + 2.22075F});
  EXPECT_NEAR(depth, 6.93053, 1e-4);
  EXPECT_NEAR(kSize * u, 112 + 156.8 * 2.103 / 6.93053, 1e-3);
  EXPECT_NEAR(kSize * row, 112 - 156.8 * 1.52175 / 9.80125, 1e-3);
  EXPECT_NEAR(box().extents.largest(), kLargest, 1e-5);
  for (const Factors& raw : kPoses) {
    const Scene scene = render::make_scene(box(), raw);
    for (int k = 0; k < 8; ++k) {
      const auto [x, y, z] = corner(k);
      const render::Vec3 at{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
      const auto got = camera.project(scene.location + scene.rotation.apply(at));
      const Pixel expected = projected(posed(corner(k), raw));
      EXPECT_NEAR(kSize * got.u, expected.u, 1e-2) << "corner " << k;
      EXPECT_NEAR(kSize * got.row, expected.row, 1e-2) << "corner " << k;
    }
  }
}

TEST(Projection, ShowsTheTeapotInsideThisBoxOfPixels) {
  const Rectangle middle = expected_rectangle({});
  EXPECT_NEAR(middle.left, 59.09, 0.01);
  EXPECT_NEAR(middle.right, 159.58, 0.01);
  EXPECT_NEAR(middle.top, 46.35, 0.01);
  EXPECT_NEAR(middle.bottom, 130.11, 0.01);
  for (const Factors& raw : kPoses) {
    const Rectangle expected = expected_rectangle(raw);
    const Rectangle got = seen_rectangle(render::make_scene(box(), raw));
    // The centre of the outermost pixel is inside, and a pointed corner may lie between centres.
    constexpr double kRounding = 0.01, kPoint = 1.5;
    for (const double inside : {got.left - expected.left, expected.right - got.right,
                                got.top - expected.top, expected.bottom - got.bottom}) {
      EXPECT_GT(inside, -kRounding);
      EXPECT_LT(inside, kPoint);
    }
  }
}

}  // namespace
}  // namespace adassl::testing
