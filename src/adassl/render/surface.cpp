#include "adassl/render/surface.h"

namespace adassl::render {
namespace {

/// Schlick's approximation of Fresnel's equations.
float fresnel(float cosine) {
  constexpr float kFacing = (0.2F / 2.2F) * (0.2F / 2.2F);
  const float rest = 1 - std::clamp(cosine, 0.0F, 1.0F);
  const float square = rest * rest;
  return kFacing + (1 - kFacing) * square * square * rest;
}

}  // namespace

Surface make_surface(Vec3 point, Vec3 normal, Vec3 side, Vec3 eye, Vec3 albedo) {
  return {point, normal, side, eye, (1 - fresnel(dot(normal, eye))) / kPi * albedo};
}

Vec3 reflected(const Surface& surface, Vec3 direction) {
  constexpr float kGrey = 0.8F;
  constexpr float kPeak = kGrey * (24 + 8) / (8 * kPi);
  const float cosine = dot(surface.normal, direction);
  if (cosine <= 0) return {};
  // h = (eye + direction) / |eye + direction|, whose length follows from the angle between the two.
  const float half_square = std::max((1 + dot(surface.eye, direction)) / 2, 1e-6F);  // (h.eye)^2
  const float along = std::max(dot(surface.normal, surface.eye) + cosine, 0.0F);
  const float square = along * along / (4 * half_square);  // (n.h)^2
  const float power4 = square * square;
  const float power8 = power4 * power4;
  const float gloss = kPeak * fresnel(std::sqrt(half_square)) * power8 * power8 * power8;
  return cosine * (surface.diffuse + Vec3{gloss, gloss, gloss});
}

}  // namespace adassl::render
