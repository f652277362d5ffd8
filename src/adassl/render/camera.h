#pragma once

#include <numbers>

#include "adassl/render/vector.h"

namespace adassl::render {

/// The camera of 3DIdent: it stands at (8, 0, 8) and looks at the origin. Its lens of 35 mm on a
/// sensor of 50 mm makes the focal length 0.7 of the picture's width, a field of view of 71.1
/// degrees. With the picture's width W:
///   v = P - position;   u = W/2 + 0.7 W (v.right) / depth,   row = W/2 - 0.7 W (v.up) / depth
struct Camera {
  static constexpr float kFocal = 0.7F;
  static constexpr float kHalf = std::numbers::sqrt2_v<float> / 2;

  Vec3 position{8, 0, 8};
  Vec3 right{0, 1, 0};
  Vec3 up{-kHalf, 0, kHalf};
  Vec3 view{-kHalf, 0, -kHalf};

  struct Projected {
    float u = 0;    // from 0 at the left to 1 at the right of the picture
    float row = 0;  // from 0 at the top to 1 at the bottom
    float depth = 0;
  };

  Projected project(Vec3 point) const {
    const Vec3 v = point - position;
    const float depth = dot(v, view);
    return {0.5F + kFocal * dot(v, right) / depth, 0.5F - kFocal * dot(v, up) / depth, depth};
  }

  /// The direction, of length 1, of the ray through a point of the picture.
  Vec3 direction(float u, float row) const {
    return normalised(view + (u - 0.5F) / kFocal * right + (0.5F - row) / kFocal * up);
  }
};

}  // namespace adassl::render
