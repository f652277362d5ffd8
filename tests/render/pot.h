#pragma once

#include "adassl/render/scene.h"
#include "render/small_pot.h"

namespace adassl::testing {

/// Made once, since it never changes.
inline const render::Object& pot() {
  static const render::Object object(
      render::placed_teapot(render::parse_obj(small_pot(), "small pot")));
  return object;
}

}  // namespace adassl::testing
