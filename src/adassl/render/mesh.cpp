#include "adassl/render/mesh.h"

#include <numbers>

#include "adassl/core/error.h"

namespace adassl::render {

Extents extents_of(const Mesh& mesh) {
  ADASSL_CHECK(!mesh.points.empty(), "[mesh] expected points, got none");
  Extents out{mesh.points.front(), mesh.points.front()};
  for (const Vec3 point : mesh.points) {
    out.low = least(out.low, point);
    out.high = greatest(out.high, point);
  }
  return out;
}

Mesh placed_teapot(Mesh mesh) {
  constexpr float kScale = 0.63469F;
  constexpr float kLowered = 0.9067F;
  constexpr float kInTheScene = 1.5F;
  constexpr float kTurn = std::numbers::sqrt2_v<float> / 2;  // sine and cosine of 45 degrees
  const auto turned = [](Vec3 v) {
    const Vec3 upright{v.x, -v.z, v.y};
    return Vec3{kTurn * (upright.x + upright.y), kTurn * (upright.y - upright.x), upright.z};
  };
  for (Vec3& point : mesh.points) {
    point = kInTheScene * (kScale * turned(point) - Vec3{0, 0, kLowered});
  }
  for (Vec3& normal : mesh.normals) normal = turned(normal);
  return mesh;
}

}  // namespace adassl::render
