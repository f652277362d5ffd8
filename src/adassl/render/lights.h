#pragma once

#include "adassl/render/vector.h"

/// The three lights of 3DIdent. A light is sampled by a point (a, b) of the unit square; what comes
/// from there is the irradiance E on a surface that faces it. Lambert's cosine is the surface's
/// business.
namespace adassl::render {

/// What reaches a point, and from where.
struct LightAt {
  Vec3 direction;      // towards the light, of length 1
  float distance = 0;  // to it
  Vec3 irradiance;     // of a surface that faces it, unless something is in between
};

/// A spotlight on an arc above the scene, aimed at the object:
///   position = (4 sin theta, 4 cos theta, 6 + D),   D: the largest dimension of the object
///   E = colour * power / (4 pi) * cone / distance^2
/// The cone is 35 degrees wide. Its edge is soft: with c the cosine of the angle to the axis and
/// c_0 that of 17.5 degrees, cone = smoothstep((c - c_0) / (blend (1 - c_0))). The source is a disc
/// of radius 0.5 that faces the point, which blurs the edge and the shadow.
struct Spotlight {
  static constexpr float kRadius = 0.5F;
  static constexpr float kPower = 3000;
  static constexpr float kBlend = 0.1F;
  static constexpr float kCosine = 0.95371695F;  // of 17.5 degrees
  static constexpr float kSine = 0.30070580F;

  Vec3 position;
  Vec3 axis;  // the direction in which it shines, of length 1
  Vec3 colour;

  LightAt at(Vec3 point, float a, float b) const;
  /// Whether any part of the source can light the point. The cones of all its parts lie in one
  /// cone, whose apex is so far behind the source that a ball of its radius fits in.
  bool may_reach(Vec3 point) const {
    const Vec3 from_apex = point - (position - kRadius / kSine * axis);
    return dot(from_apex, axis) >= kCosine * length(from_apex);
  }
};

Spotlight make_spotlight(float theta, float object_size, Vec3 target, Vec3 colour);

/// How much of the light a direction gets, by the cosine of its angle to the axis.
float cone(float cosine);

/// A square of 1 x 1 at (0, 0, 7) that shines downwards with 50 W:
///   E = power / pi * cosine at the light / distance^2
struct AreaLight {
  static constexpr float kHeight = 7;
  static constexpr float kPower = 50;
  LightAt at(Vec3 point, float a, float b) const;
};

/// Straight down, E = 0.5 everywhere.
constexpr float kSunStrength = 0.5F;
constexpr Vec3 kSunDirection{0, 0, 1};  // towards it

}  // namespace adassl::render
