#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "adassl/core/random.h"
#include "adassl/render/vector.h"

/// The ten factors of a picture, in the order of the columns of 3DIdent.
namespace adassl::render {

constexpr size_t kFactors = 10;

constexpr std::array<std::string_view, kFactors> kFactorNames = {
    "x",          "y",          "z",          "rotation_x", "rotation_y",
    "rotation_z", "spot_angle", "object_hue", "spot_hue",   "ground_hue"};

/// Raw factors lie between -1 and 1. Physical ones are what the scene is made from: positions from
/// -3 to 3, all others angles from -pi/2 to pi/2. A hue is an angle on the circle of colours.
using Factors = std::array<float, kFactors>;

/// Uniform in (-1, 1)^10.
Factors draw_factors(random::Sequence draws);

Factors physical(const Factors& raw);

/// Raw factors with mean 0 and variance 1, given that they are uniform: raw / sqrt(1/3).
Factors standardised(const Factors& raw);

/// The colour with this hue, which is taken modulo 1 (0: red, 1/3: green, 2/3: blue):
///   channel = value * (1 - saturation * (1 - clamp(2 - 6 |hue - centre|, 0, 1)))
/// where |.| is the distance on the circle, and the centres of the channels are 0, 1/3 and 2/3.
Vec3 hsv(float hue, float saturation, float value);

}  // namespace adassl::render
