#pragma once

#include <cstdint>

#include "adassl/kernels/convolution/unit.h"

/// What happens to numbers on their way into a product and out of it. Pixels are rows of channels.
namespace adassl::kernels {

/// Rounded to the nearest, ties to even; what is not a number stays so.
void round_to_bf16(int64_t count, const float* from, Bf16* to);
void widen(int64_t count, const Bf16* from, float* to);

/// For each channel max(0, scale x + offset).
struct Activation {
  const float* scale = nullptr;
  const float* offset = nullptr;
};
/// to[pixel][0 .. depth): the activations of from[pixel][0 .. channels), and zeros. Without an
/// activation the numbers themselves.
void activate(int64_t pixels, int64_t channels, const Bf16* from, const Activation& activation,
              int64_t depth, Bf16* to);

/// The gradient of what stands before a norm: scale [scale x + offset > 0] g + slope x + shift.
struct NormSlope {
  Activation activation;
  const float* slope = nullptr;
  const float* shift = nullptr;
};
/// As `activate`: to[pixel] from the gradient g and the numbers x that the norm had read.
void through_norm(int64_t pixels, int64_t channels, const Bf16* g, const Bf16* x,
                  const NormSlope& norm, int64_t depth, Bf16* to);

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

/// One tile of sums c[rows][32] -> y, rounded, for so many columns; their sums and squares are
/// added to `sum` and `squares`.
struct Target {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t stride = 0;  // numbers from row to row
  Bf16* y = nullptr;
};
void write_outputs(const Target& to, const float* c, float* sum, float* squares);

/// The same for gradients of activations of x, which lies as y does: [active] g and
/// [active] g (x - mean) are added. Without x nothing is.
struct Activated {
  const Bf16* x = nullptr;
  Activation activation;
  const float* mean = nullptr;
};
void write_gradients(const Target& to, const float* c, const Activated& by, float* sum,
                     float* weighted);

/// y[channel] = the mean over pixels of the activations.
void mean_of_activations(int64_t pixels, int64_t channels, const Bf16* x,
                         const Activation& activation, float* y);
/// The gradient of it for each pixel: dy / pixels; sums as in write_gradients.
void spread_gradient(int64_t pixels, int64_t channels, const float* dy, const Activated& by,
                     Bf16* g, float* sum, float* weighted);

}  // namespace adassl::kernels
