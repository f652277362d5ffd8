#pragma once

#include <cstdint>

#include "adassl/core/random.h"
#include "adassl/render/scene.h"
#include "adassl/storage/png.h"

namespace adassl::render {

/// How carefully a picture is made.
struct Quality {
  int64_t size = 64;        // width and height in pixels
  int64_t samples = 8;      // rays through a pixel
  int64_t shadow_rays = 1;  // from each of them to the spotlight; one goes to each other light
  int64_t first = 2;        // samples of a pixel that decide whether it needs the rest
};

/// The picture of a scene, with three channels. `noise.at(p)` shifts the samples of pixel p; the
/// samples themselves are a sequence of low discrepancy. A pixel is the mean of its samples. Where
/// the `first` ones of it and of its neighbours are nearly the same, it gets no more of them. Light
/// is not reflected twice; there is no light from elsewhere, as in the original.
storage::Image render(const Scene& scene, const Quality& quality, const random::Stream& noise);

/// The byte for an amount of light, as screens want it (the curve of sRGB); more than 1 is white.
uint8_t srgb(float light);

}  // namespace adassl::render
