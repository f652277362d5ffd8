#pragma once

#include <cstdint>
#include <span>

#include "adassl/core/error.h"
#include "adassl/storage/png.h"

namespace adassl::images {

/// An RGB image that somebody else owns: a decoded file, or a part of a memory-mapped cache. A
/// storage::Image with three channels converts to it.
struct Pixels {
  int64_t width = 0;
  int64_t height = 0;
  std::span<const uint8_t> bytes;  // [height, width, 3]

  Pixels(int64_t wide, int64_t high, std::span<const uint8_t> rgb)
      : width(wide), height(high), bytes(rgb) {
    ADASSL_CHECK(width >= 1 && height >= 1 && height <= kMost / width,
                 "[image] expected sides of at least 1 pixel, got ", width, "x", height);
    ADASSL_CHECK(bytes.size() == static_cast<size_t>(3 * width * height), "[image] expected ",
                 3 * width * height, " bytes for ", width, "x", height, " RGB pixels, got ",
                 bytes.size());
  }
  // Implicit on purpose: what takes pixels takes images.
  Pixels(const storage::Image& image) : Pixels(image.width, image.height, image.pixels) {}

 private:
  static constexpr int64_t kMost = int64_t{1} << 40;
};

/// A rectangle of whole pixels inside an image.
struct Box {
  int64_t left = 0;
  int64_t top = 0;
  int64_t width = 0;
  int64_t height = 0;

  bool operator==(const Box&) const = default;
};

}  // namespace adassl::images
