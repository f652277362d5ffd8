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

/// How many pixels; Error unless the planes are equally long.
int64_t count_of(const Planes& planes);

/// grey = (19595 R + 38470 G + 7471 B + 2^15) >> 16, in all three planes.
void make_grey(const Planes& planes);

/// The sum of all pixels' grey.
uint64_t sum_of_grey(const Planes& planes);

/// A change of all pixels:
///   kBlend          v <- clip(base + factor * (v - base)), towards zero
///   kBlendWithGrey  the same with the grey of each pixel as base
///   kShiftHue       through 8-bit HSV: H <- H + shift, modulo 256
struct ColourStep {
  enum class Kind { kBlend, kBlendWithGrey, kShiftHue };
  Kind kind = Kind::kBlend;
  float factor = 1;
  uint8_t base = 0;
  uint8_t shift = 0;
};

/// Several steps, one after another, in one passage through the planes.
void change_colours(const Planes& planes, std::span<const ColourStep> steps);

/// The second half of kShiftHue: 8-bit hue, saturation and value become red, green and blue.
void rgb_of_hsv(const Planes& planes);

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
