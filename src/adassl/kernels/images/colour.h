#pragma once

#include <cstdint>
#include <span>

/// Colour operations on 8-bit planes, as Pillow defines them: the same roundings, in the same
/// order, without fused products. The result is the same on every instruction set.
namespace adassl::kernels {

/// The three planes of an image, equally long.
struct Planes {
  std::span<uint8_t> red;
  std::span<uint8_t> green;
  std::span<uint8_t> blue;
};

/// v <- clip(base + factor * (v - base)), towards zero.
void blend_with(std::span<uint8_t> values, uint8_t base, float factor);

/// v <- clip(grey + factor * (v - grey)), with the grey of each pixel.
void blend_with_grey(const Planes& planes, float factor);

/// grey = (19595 R + 38470 G + 7471 B + 2^15) >> 16, in all three planes.
void make_grey(const Planes& planes);

/// The sum of all pixels' grey.
uint64_t sum_of_grey(const Planes& planes);

/// Through 8-bit HSV: H <- H + shift, modulo 256.
void shift_hue(const Planes& planes, uint8_t shift);

/// v <- 255 - v where v >= threshold.
void invert_from(std::span<uint8_t> values, int threshold);

/// One pass of a box blur of radius `whole` plus a fraction, with replicated edges:
///   out[x] = (centre * sum_{|d| <= whole} in[x + d] + edge * (in[x - whole - 1] + in[x + whole +
///   1])
///             + 2^23) >> 24
struct BoxBlur {
  int64_t whole = 0;
  uint32_t centre = 0;
  uint32_t edge = 0;
};

/// `passes` along the rows, then as many along the columns.
///   plane [height, width]
void box_blur(std::span<uint8_t> plane, int64_t width, const BoxBlur& blur, int passes);

}  // namespace adassl::kernels
