#include "adassl/render/scene.h"

#include <limits>

namespace adassl::render {

Object::Object(Mesh shape)
    : mesh(std::move(shape)),
      blocker(mesh),
      extents(extents_of(mesh)),
      centre(0.5F * (extents.low + extents.high)) {
  for (const Vec3 point : mesh.points) radius = std::max(radius, length(point - centre));
}

Scene make_scene(const Object& object, const Factors& raw) {
  const Factors f = physical(raw);
  const float size = object.extents.largest();
  const auto hue = [&](size_t k) { return f[k] / (2 * kPi); };
  Scene out;
  out.object = &object;
  out.location = {f[0], f[1], f[2] + size / 2};
  out.rotation = euler({f[3], f[4], f[5]});
  out.ball = out.location + out.rotation.apply(object.centre);
  out.ground = -size;
  out.spot = make_spotlight(f[6], size, out.location, hsv(hue(8), 0.8F, 1));
  out.object_colour = hsv(hue(7), 1, 1);
  out.ground_colour = hsv(hue(9), 0.6F, 1);
  return out;
}

namespace {

Surface object_at(const Scene& scene, const Blocker::Hit& hit, Vec3 point, Vec3 eye) {
  const Mesh& mesh = scene.object->mesh;
  const auto& [a, b, c] = mesh.triangles[hit.triangle];
  const auto& at = mesh.points;
  const auto& normals = mesh.normals;
  Vec3 side = scene.rotation.apply(normalised(cross(at[b] - at[a], at[c] - at[a])));
  Vec3 normal = scene.rotation.apply(
      normalised((1 - hit.u - hit.v) * normals[a] + hit.u * normals[b] + hit.v * normals[c]));
  if (dot(side, normal) < 0) normal = -normal;  // the triangle's corners go round the other way
  if (dot(side, eye) < 0) {
    side = -side;
    normal = -normal;
  }
  return make_surface(point, normal, side, eye, scene.object_colour);
}

/// Whether a ray meets the ball around the object. Most do not, which is quickly seen.
bool may_meet_ball(const Scene& scene, Vec3 origin, Vec3 direction, float distance) {
  const Vec3 to_ball = scene.ball - origin;
  const float radius = scene.object->radius;
  const float along = dot(to_ball, direction);
  if (along < -radius || along > distance + radius) return false;
  return dot(to_ball, to_ball) - along * along <= 1.0001F * radius * radius;
}

}  // namespace

Surface seen(const Scene& scene, const Camera& camera, Vec3 direction, bool may_meet_object) {
  constexpr Vec3 kUp{0, 0, 1};
  const Vec3 eye = -direction;
  const float to_ground = direction.z < 0 ? (scene.ground - camera.position.z) / direction.z
                                          : std::numeric_limits<float>::infinity();
  if (may_meet_object && may_meet_ball(scene, camera.position, direction, to_ground)) {
    const auto hit = scene.object->blocker.first(
        scene.rotation.undo(camera.position - scene.location), scene.rotation.undo(direction));
    if (hit.found && hit.distance < to_ground) {
      return object_at(scene, hit, camera.position + hit.distance * direction, eye);
    }
  }
  return make_surface(camera.position + to_ground * direction, kUp, kUp, eye, scene.ground_colour);
}

bool is_in_shadow(const Scene& scene, const Surface& surface, Vec3 direction, float distance) {
  if (!may_meet_ball(scene, surface.point, direction, distance)) return false;
  constexpr float kOff = 1e-3F;  // so that a surface does not shade itself
  const Vec3 start = surface.point + kOff * surface.side;
  return scene.object->blocker.is_between(scene.rotation.undo(start - scene.location),
                                          scene.rotation.undo(direction), distance);
}

Frame frame_of(const Scene& scene, const Camera& camera) {
  Frame out{1, 0, 1, 0};
  const Extents& box = scene.object->extents;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 at{(corner & 1) != 0 ? box.high.x : box.low.x,
                  (corner & 2) != 0 ? box.high.y : box.low.y,
                  (corner & 4) != 0 ? box.high.z : box.low.z};
    const auto [u, row, depth] = camera.project(scene.location + scene.rotation.apply(at));
    if (depth < 0.1F) return {0, 1, 0, 1};  // beside or behind the camera
    out = {std::min(out.left, u), std::max(out.right, u), std::min(out.top, row),
           std::max(out.bottom, row)};
  }
  return out;
}

}  // namespace adassl::render
