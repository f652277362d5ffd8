#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/kernels/threads.h"
#include "adassl/render/scene.h"
#include "render/small_pot.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

using render::Mesh;
using render::Vec3;
using ::testing::HasSubstr;

void expect_near(Vec3 a, Vec3 b, float tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Obj, JoinsPointsAndCutsPolygons) {
  const Mesh mesh = render::parse_obj(
      "# square\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\r\nv 1 1 0 1.0\nv 0 1 0\nv 1 1 -0\nvn 0 0 1\n"
      "vt 0 0\nf 1/1/1 2//1 3/1 4\nf 5 4 1\n",
      "test");
  EXPECT_EQ(mesh.points.size(), 4);  // the fifth is the third
  ASSERT_EQ(mesh.triangles.size(), 3);
  EXPECT_EQ(mesh.triangles[1], (std::array<uint32_t, 3>{0, 2, 3}));
  EXPECT_EQ(mesh.triangles[2], (std::array<uint32_t, 3>{2, 3, 0}));
  for (const Vec3 normal : mesh.normals) expect_near(normal, {0, 0, 1}, 1e-6F);
}

TEST(Obj, LeavesOutFacesWithoutArea) {
  const Mesh mesh = render::parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 2\nf 1 2 3\n", "test");
  EXPECT_EQ(mesh.triangles.size(), 1);
}

TEST(Obj, LeavesOutFacesWhoseNormalsWouldUnderflow) {
  const auto read = [](const char* side) {
    return render::parse_obj(
        join("v 0 0 0\nv ", side, " 0 0\nv 0 ", side, " 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 4 5\n"),
        "test");
  };
  EXPECT_EQ(read("3e-10").triangles.size(), 1);  // the square of its cross product is a denormal
  const Mesh small = read("2e-9");
  ASSERT_EQ(small.triangles.size(), 2);
  const kernels::FlushDenormals as_in_rendering;
  for (const auto& [a, b, c] : small.triangles) {
    const auto& at = small.points;
    const Vec3 normal = render::normalised(cross(at[b] - at[a], at[c] - at[a]));
    expect_near(normal, {0, 0, 1}, 1e-6F);
  }
}

TEST(Obj, CountsNegativeNumbersFromTheEnd) {
  const Mesh mesh = render::parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 5 5 5\nf -4 -3 -2\n", "test");
  EXPECT_EQ(mesh.triangles.at(0), (std::array<uint32_t, 3>{0, 1, 2}));
}

TEST(Obj, WeighsNormalsByAngles) {
  // Two of the three faces at the corner of a cube are cut in two: the normal is still the
  // diagonal.
  const Mesh mesh = render::parse_obj(
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 0\nv 1 0 1\nv 0 1 1\n"
      "f 1 3 5 2\nf 1 2 6 4\nf 1 4 7 3\n",
      "test");
  const float third = -1 / std::sqrt(3.0F);
  expect_near(mesh.normals[0], {third, third, third}, 1e-6F);
}

TEST(Obj, NamesTheLineOfAMistake) {
  const auto message = [](const std::string& text) {
    return error_of([&] { render::parse_obj(text, "a.obj"); });
  };
  EXPECT_THAT(message("v 0 0 0\nv 0 x 0\n"), HasSubstr("[a.obj:2] expected three coordinates"));
  EXPECT_THAT(message("v 0 0\n"), HasSubstr("[a.obj:1] expected three coordinates"));
  EXPECT_THAT(message("v 0 nan 0\n"), HasSubstr("got 'nan'"));
  EXPECT_THAT(message("v 0 0 0\nf 1 1 2\n"), HasSubstr("the number of a point, from 1 to 1"));
  EXPECT_THAT(message("v 0 0 0\nf 1 0 1\n"), HasSubstr("got '0'"));
  EXPECT_THAT(message("v 0 0 0\nf 1 -2 1\n"), HasSubstr("got '-2'"));
  EXPECT_THAT(message("v 0 0 0\nf 1 1\n"), HasSubstr("[a.obj:2]"));
  EXPECT_THAT(message("v 0 0 0\n"), HasSubstr("[a.obj] expected a Wavefront OBJ file with faces"));
  EXPECT_THAT(message(""), HasSubstr("with faces, got none"));
}

TEST(Mesh, NormalsOfAPotPointOutwards) {
  const Mesh mesh = render::parse_obj(small_pot(), "pot");
  const Vec3 centre{0, 1.575F, 0};
  for (size_t i = 0; i < mesh.points.size() - 8; ++i) {  // all but the spout and the handle
    const Vec3 out = mesh.points[i] - centre;
    EXPECT_GT(dot(render::normalised(out), mesh.normals[i]), 0.5F) << i;
  }
}

TEST(Mesh, ThePlacedTeapotLooksWhere3DIdentHasIt) {
  const Mesh pot = render::placed_teapot(
      render::parse_obj("v 3.434 2.4 0\nv 0 3.15 0\nv 0 0 2\nf 1 2 3\n", "test"));
  const float spout = 1.5F * 0.63469F * 3.434F / std::sqrt(2.0F);
  expect_near(pot.points[0], {spout, -spout, 1.5F * (0.63469F * 2.4F - 0.9067F)}, 1e-5F);
  expect_near(pot.points[1], {0, 0, 1.5F * 1.0926F}, 1e-4F);
  const float side = 1.5F * 0.63469F * 2 / std::sqrt(2.0F);
  expect_near(pot.points[2], {-side, -side, -1.5F * 0.9067F}, 1e-5F);
}

TEST(Mesh, TheRealTeapotHasTheExtentsOf3DIdent) {
  const std::filesystem::path path = ADASSL_SOURCE_DIR "/data/teapot/teapot.obj";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "scripts/setup.sh teapots fetches the mesh";
  const render::Object object(render::placed_teapot(render::read_obj(path)));
  EXPECT_EQ(object.mesh.points.size(), 3241);
  EXPECT_EQ(object.mesh.triangles.size(), 6320);
  expect_near(object.extents.low, {1.5F * -1.402F, 1.5F * -1.559F, 1.5F * -0.907F}, 2e-3F);
  expect_near(object.extents.high, {1.5F * 1.559F, 1.5F * 1.402F, 1.5F * 1.093F}, 2e-3F);
  EXPECT_NEAR(object.extents.largest(), 4.442F, 1e-3F);
}

}  // namespace
}  // namespace adassl::testing
