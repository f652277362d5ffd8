#pragma once

#include "adassl/render/blocker.h"
#include "adassl/render/camera.h"
#include "adassl/render/factors.h"
#include "adassl/render/lights.h"
#include "adassl/render/mesh.h"
#include "adassl/render/surface.h"

/// 3DIdent's scene: one object above coloured ground, below three lights.
namespace adassl::render {

/// A mesh that can be placed in scenes. It is never moved itself: rays are moved into its frame,
/// so that one search tree serves all pictures.
struct Object {
  explicit Object(Mesh shape);

  Mesh mesh;
  Blocker blocker;
  Extents extents;
  Vec3 centre;  // of a ball that contains the mesh
  float radius = 0;
};

/// What the factors make of an object. With D the object's largest dimension:
///   location = (3 raw_0, 3 raw_1, 3 raw_2 + D / 2),   rotation by Euler angles pi/2 raw_3..5
///   ground: the plane z = -D
///   spotlight: at the angle pi/2 raw_6 of its arc, aimed at the location
///   colours: HSV with the hues raw_7..9 / 4 (modulo 1) and the saturations 1 (object),
///   0.8 (spotlight) and 0.6 (ground)
struct Scene {
  const Object* object = nullptr;
  Vec3 location;
  Rotation rotation;
  Vec3 ball;  // the centre of the object's ball
  float ground = 0;
  Spotlight spot;
  AreaLight area;
  Vec3 object_colour;
  Vec3 ground_colour;
};

Scene make_scene(const Object& object, const Factors& raw);

/// The first surface on a ray from the camera. Rays that cannot meet the object need not look for
/// it.
Surface seen(const Scene& scene, const Camera& camera, Vec3 direction, bool may_meet_object);

/// Whether the object is between a surface and a light.
bool is_in_shadow(const Scene& scene, const Surface& surface, Vec3 direction, float distance);

/// A rectangle of the picture, from 0 to 1.
struct Frame {
  float left = 0, right = 0, top = 0, bottom = 0;
  bool contains(float u, float row) const {
    return u >= left && u <= right && row >= top && row <= bottom;
  }
};

/// A rectangle that contains the object.
Frame frame_of(const Scene& scene, const Camera& camera);

}  // namespace adassl::render
