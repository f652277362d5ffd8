#include "adassl/render/factors.h"

#include <numbers>

namespace adassl::render {

Factors draw_factors(random::Sequence draws) {
  Factors out;
  for (float& factor : out) factor = static_cast<float>(2 * draws.uniform() - 1);
  return out;
}

Factors physical(const Factors& raw) {
  Factors out;
  for (size_t k = 0; k < kFactors; ++k) {
    out[k] = raw[k] * (k < 3 ? 3.0F : kPi / 2);
  }
  return out;
}

Factors standardised(const Factors& raw) {
  Factors out;
  for (size_t k = 0; k < kFactors; ++k) out[k] = raw[k] * std::numbers::sqrt3_v<float>;
  return out;
}

Vec3 hsv(float hue, float saturation, float value) {
  const float turn = hue - std::floor(hue);
  // How much of a primary colour there is: all of it within a sixth of the circle around it, none
  // beyond a third.
  const auto channel = [&](float centre) {
    const float distance = std::abs(turn - centre);
    const float sixths = 6 * std::min(distance, 1 - distance);
    const float share = std::clamp(2 - sixths, 0.0F, 1.0F);
    return value * (1 - saturation * (1 - share));
  };
  return {channel(0), channel(1.0F / 3), channel(2.0F / 3)};
}

}  // namespace adassl::render
