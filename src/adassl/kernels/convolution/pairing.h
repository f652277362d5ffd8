#pragma once

#include <cstdint>

#include "adassl/kernels/convolution/unit.h"

/// How pixels become the operands of sums that run over pixels.
namespace adassl::kernels {

/// Pixels 0 and 1, 2 and 3, ... as pairs of numbers. Channels come in tiles, as products read them:
/// to[tile][pair][channel of the tile][2], a tile `tile_step` numbers behind the other. Or, when
/// `transposed`, to[channel][pair][2]. Channels up to `width` and pairs up to `pairs` are zeros.
/// Behind the last pixel there is memory for 16 more numbers.
struct Pairing {
  int64_t pixels = 0;
  int64_t step = 0;  // numbers from pixel to pixel
  int64_t channels = 0;
  int64_t width = 0;
  int64_t pairs = 0;
  int64_t tile = 0;  // channels of a tile: 8, or 32
  int64_t tile_step = 0;
  bool transposed = false;
};
void pair_pixels(const Pairing& shape, const Bf16* from, Bf16* to);

}  // namespace adassl::kernels
