#pragma once

#include <cstdint>

#include "adassl/kernels/convolution/unit.h"

/// Rearranges pixels for the weight gradient, dw[o, i] = sum over pixels p of dy[p, o] x[p, i].
///
/// A product (unit.h) multiplies pairs of numbers that lie side by side in memory, and sums over
/// the pairs. Elsewhere the sums run over channels, which lie side by side anyway. Here they run
/// over pixels, so the numbers of two neighbouring pixels have to be brought together:
///   [pixel][channel]  ->  [pair of pixels][channel][2]   or   [channel][pair of pixels][2]
namespace adassl::kernels {

/// Pixels 0 and 1, 2 and 3, and so on become the pairs 0, 1, and so on. Without `transposed` the
/// result is to[tile][pair][channel of the tile][2]: the channels are divided into tiles, as
/// products read them. With `transposed` it is to[channel][pair][2].
struct Pairing {
  int64_t pixels = 0;
  int64_t step = 0;  // numbers from pixel to pixel of the input
  int64_t channels = 0;
  int64_t width = 0;      // channels of the result; those behind `channels` are zeros
  int64_t pairs = 0;      // of the result; the numbers of pixels that do not exist are zeros
  int64_t tile = 0;       // channels of a tile: 8 or 32
  int64_t tile_step = 0;  // numbers from tile to tile of the result
  bool transposed = false;
};
/// The input must be readable for 16 numbers behind its last pixel.
void pair_pixels(const Pairing& shape, const Bf16* from, Bf16* to);

}  // namespace adassl::kernels
