#include "adassl/render/lights.h"

namespace adassl::render {

float cone(float cosine) {
  const float t = (cosine - Spotlight::kCosine) / (Spotlight::kBlend * (1 - Spotlight::kCosine));
  const float s = std::clamp(t, 0.0F, 1.0F);
  return s * s * (3 - 2 * s);
}

Spotlight make_spotlight(float theta, float object_size, Vec3 target, Vec3 colour) {
  const Vec3 position{4 * std::sin(theta), 4 * std::cos(theta), 6 + object_size};
  return {position, normalised(target - position), colour};
}

LightAt Spotlight::at(Vec3 point, float a, float b) const {
  const Basis disc = basis_of(normalised(position - point));
  const float radius = kRadius * std::sqrt(a);
  const float angle = 2 * kPi * b;
  const Vec3 source =
      position + radius * std::cos(angle) * disc.u + radius * std::sin(angle) * disc.v;
  const Vec3 to = source - point;
  const float distance = length(to);
  const Vec3 direction = 1 / distance * to;
  const float strength = kPower / (4 * kPi) * cone(-dot(direction, axis)) / (distance * distance);
  return {direction, distance, strength * colour};
}

LightAt AreaLight::at(Vec3 point, float a, float b) const {
  const Vec3 to = Vec3{a - 0.5F, b - 0.5F, kHeight} - point;
  const float distance = length(to);
  const Vec3 direction = 1 / distance * to;
  const float cosine = std::max(direction.z, 0.0F);  // the light faces downwards
  const float strength = kPower / kPi * cosine / (distance * distance);
  return {direction, distance, {strength, strength, strength}};
}

}  // namespace adassl::render
