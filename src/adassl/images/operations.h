#pragma once

#include <cstdint>
#include <span>

/// Operations on a small image, [3, height, width], one plane for each colour. They compute what
/// torchvision computes for PIL images, byte for byte: what Pillow rounds is rounded here.
namespace adassl::images {

/// The four adjustments of a ColorJitter.
enum class Adjustment { kBrightness, kContrast, kSaturation, kHue };

/// Blends with black: 0 is black, 1 changes nothing.
void adjust_brightness(std::span<uint8_t> planes, double factor);
/// Blends with the mean grey of the image.
void adjust_contrast(std::span<uint8_t> planes, double factor);
/// Blends each pixel with its own grey.
void adjust_saturation(std::span<uint8_t> planes, double factor);
/// Turns the hue, through 8-bit HSV; `turns` lies in [-0.5, 0.5].
void adjust_hue(std::span<uint8_t> planes, double turns);

/// An adjustment, and by how much: a factor, or turns of the hue.
struct Adjusting {
  Adjustment kind;
  double amount;
};
/// Several of them, one after another, in one passage through the image, or two where the contrast
/// asks for the mean grey in between.
void adjust(std::span<uint8_t> planes, std::span<const Adjusting> steps);

void to_grey(std::span<uint8_t> planes);

/// PIL's GaussianBlur: three box blurs along each axis, whose radius follows from sigma (in
/// pixels). Edges are replicated.
void blur(std::span<uint8_t> planes, int64_t width, double sigma);

/// Inverts the values from the threshold on.
void solarise(std::span<uint8_t> planes, int64_t threshold = 128);

}  // namespace adassl::images
