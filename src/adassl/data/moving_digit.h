#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "adassl/core/random.h"

/// The motion of a digit over a dark canvas, and its rendering. Frames are counted from 1.
namespace adassl::data {

inline constexpr int64_t kCanvas = 64;   // pixels along a side
inline constexpr int64_t kSegment = 3;   // frames per observation
inline constexpr int64_t kSegments = 3;  // x, x+ and x++

enum class Placement { kRounded, kBilinear };

using Vector = std::array<double, 2>;  // x to the right, y down; in pixels

/// The motion of a digit before its velocity changes:
///   centre p_1 ~ U[8, 16]^2,   v ~ U[0, 3]^2 pixels a frame,   p_t = p_1 + (t - 1) v,  t = 1, 2, 3
struct Start {
  Vector centre{};
  Vector velocity{};
};

/// The motion afterwards, when one component of the velocity has changed:
///   axis ~ Bernoulli(chance_of_y),   v'_axis ~ N(v_axis, (2/3 v_axis)^2),
///   p_t = p_3 + (t - 3) v',  t = 4, ..., 9
struct Turn {
  int axis = 0;  // the component that changed: 0 is x, 1 is y
  Vector velocity{};
};

Start draw_start(random::Sequence& draws);
Turn draw_turn(const Start& start, double chance_of_y, random::Sequence& draws);

/// The digit's centre at a frame.
Vector position(const Start& start, const Turn& turn, int64_t frame);

/// Adds the 16 x 16 digit to a frame of 64 x 64 with the centre given. Rounded: its upper left
/// corner, centre - 8, goes to the nearest whole pixel. Bilinear: each of its pixels is shared by
/// the four it covers. Pixels outside the canvas are clipped: digits leave it, they do not bounce.
void draw_digit(std::span<const float> digit, const Vector& centre, Placement placement,
                std::span<float> frame);

/// The three frames of segment 0 (x), 1 (x+) or 2 (x++) on a dark ground: [3, 64, 64].
void draw_segment(std::span<const float> digit, const Start& start, const Turn& turn,
                  int64_t segment, Placement placement, std::span<float> out);

}  // namespace adassl::data
