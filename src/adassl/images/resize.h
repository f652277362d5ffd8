#pragma once

#include <cstdint>
#include <span>

#include "adassl/images/pixels.h"
#include "adassl/kernels/images/resample.h"

/// Antialiased resampling, byte for byte as Pillow does it: filter weights in double precision,
/// rounded to integers; rows first, then columns, with 8-bit values in between.
namespace adassl::images {

enum class Filter { kBilinear, kBicubic };

/// A box of the image becomes `width` x `height` pixels, of which a window is computed.
struct Resize {
  Box box;
  int64_t width = 0;
  int64_t height = 0;
  Box window;             // inside width x height
  bool mirrored = false;  // left and right exchanged
  Filter filter = Filter::kBicubic;
};

/// The whole box becomes a square.
Resize to_square(const Box& box, int64_t side);

/// The shorter side becomes `shorter` pixels, and a square in the centre is computed, as
/// torchvision's Resize and CenterCrop do.
Resize centre_square(int64_t width, int64_t height, int64_t shorter, int64_t side);

/// Half of a number of pixels, rounded as Python rounds: to even.
int64_t half(int64_t extent);

///   out [3, window.height, window.width], one plane for each colour
void resize(const Pixels& image, const Resize& how, std::span<uint8_t> out);

/// The whole image at another size, interleaved as it was.
storage::Image resized(const Pixels& image, int64_t width, int64_t height,
                       Filter filter = Filter::kBicubic);

}  // namespace adassl::images
