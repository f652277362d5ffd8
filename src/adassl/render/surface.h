#pragma once

#include "adassl/render/vector.h"

namespace adassl::render {

/// A point of a surface as the eye sees it. Surfaces have two sides; normals point to the eye.
struct Surface {
  Vec3 point;
  Vec3 normal;   // for shading
  Vec3 side;     // of the flat triangle, to leave the surface by
  Vec3 eye;      // the direction towards it, of length 1
  Vec3 diffuse;  // (1 - F(n.eye)) albedo / pi
};

Surface make_surface(Vec3 point, Vec3 normal, Vec3 side, Vec3 eye, Vec3 albedo);

/// What a surface of rubber sends to the eye of light that arrives from a direction: Lambert's
/// diffuse reflection, and a faint grey gloss as that of a layer with the refractive index 1.2.
///   f = (1 - F(n.eye)) albedo / pi + 0.8 F(h.eye) (s + 8) / (8 pi) (n.h)^s,   h = halfway
///   F(c) = F_0 + (1 - F_0) (1 - c)^5,   F_0 = ((1.2 - 1) / (1.2 + 1))^2,   s = 24
/// The result is f * (n.direction), or zero for light from behind.
Vec3 reflected(const Surface& surface, Vec3 direction);

}  // namespace adassl::render
