#pragma once

#include <cstdint>

#include "adassl/kernels/convolution/unit.h"

/// Element-wise passes over bfloat16 numbers [pixels, channels]: what happens to them on their way
/// into a product and out of it. For pixel p and channel c,
///
///   activate             to[p, c] = max(0, scale_c x[p, c] + offset_c)
///   add_shortcut         y[p, c]  = max(0, scale_c x[p, c] + offset_c + shortcut[p, c])
///   through_norm         to[p, c] = scale_c g[p, c] + slope_c x[p, c] + shift_c
///   write_outputs        y[p, c]  = a sum of products
///                        sum_c += y - about_c, squares_c += (y - about_c)^2
///   write_gradients      g[p, c]  = a sum of products + addend, or 0 where the ReLU of x is closed
///                        sum_c += g, weighted_c += g (x - mean_c)
///   mean_of_activations  y[c]     = mean over p of max(0, scale_c x[p, c] + offset_c)
///   spread_gradient      g[p, c]  = dy[c] / pixels, or 0 where the ReLU of x is closed
///                        sum_c += g, weighted_c += g (x - mean_c)
///
/// They compute in float32 and round once, when they store.
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

/// y = max(0, scale x + offset + shortcut), where the shortcut is a number of `other`, or
/// scale other + offset of its own, or that where it is positive.
struct Shortcut {
  const Bf16* other = nullptr;
  Activation map;
  bool positive = false;
};
void add_shortcut(int64_t pixels, int64_t channels, const Bf16* x, const Activation& map,
                  const Shortcut& shortcut, Bf16* y);

/// The gradient of what stands before a norm, from that behind it: scale g + slope x + shift.
struct NormSlope {
  const float* scale = nullptr;
  const float* slope = nullptr;
  const float* shift = nullptr;
};
/// As `activate`: to[pixel] from the gradient g and the numbers x that the norm had read.
void through_norm(int64_t pixels, int64_t channels, const Bf16* g, const Bf16* x,
                  const NormSlope& norm, int64_t depth, Bf16* to);

/// One tile of sums c[rows][32] -> y, rounded, for so many columns. Of what then stands there, the
/// distances from the row `about`, which may be the first of y, and their squares are added to
/// `sum` and `squares`.
struct Target {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t stride = 0;  // numbers from row to row
  Bf16* y = nullptr;
};
void write_outputs(const Target& to, const float* c, const Bf16* about, float* sum, float* squares);

/// The same for gradients of the activations of x, which lies as y does: where the activation is 0
/// so is what is written; g and g (x - mean) are added. Without x nothing is.
struct Activated {
  const Bf16* x = nullptr;
  Activation activation;
  const float* mean = nullptr;
  const Bf16* joined = nullptr;  // the activations, where they are more than x's own
  const Bf16* addend = nullptr;  // to the gradient, if any: lies as y does

  /// From so many numbers on, and from this channel.
  Activated at(int64_t number, int64_t channel) const {
    const auto from = [](auto* data, int64_t by) { return data == nullptr ? data : data + by; };
    return {from(x, number),
            {from(activation.scale, channel), from(activation.offset, channel)},
            from(mean, channel),
            from(joined, number),
            from(addend, number)};
  }
};
void write_gradients(const Target& to, const float* c, const Activated& by, float* sum,
                     float* weighted);

/// Adds g and g (x - mean) to the sums, for gradients that were written already.
void sum_gradients(int64_t pixels, int64_t channels, const Bf16* g, const Activated& by, float* sum,
                   float* weighted);

/// y[channel] = the mean over pixels of the activations; without an activation, of x.
void mean_of_activations(int64_t pixels, int64_t channels, const Bf16* x,
                         const Activation& activation, float* y);
/// The gradient of it for each pixel: dy / pixels; sums as in write_gradients.
void spread_gradient(int64_t pixels, int64_t channels, const float* dy, const Activated& by,
                     Bf16* g, float* sum, float* weighted);

}  // namespace adassl::kernels
