#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "adassl/storage/png.h"

/// Reads JPEG, PNG and WebP files into RGB images. The files are hostile: whatever the bytes are,
/// the result is an image or an Error of one line, sizes are checked before memory is taken, and
/// the decoders print nothing.
namespace adassl::images {

enum class Format { kJpeg, kPng, kWebp };

std::string_view name_of(Format format);

/// What the header of a file says.
struct Facts {
  Format format = Format::kJpeg;
  int64_t width = 0;  // of the decoded image, with the EXIF orientation applied
  int64_t height = 0;
  int64_t channels = 3;  // of the file: 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha or CMYK
  int orientation = 1;   // EXIF: 1 to 8
};

/// Larger files are refused. A progressive JPEG needs up to eight bytes a pixel more while it is
/// decoded, a PNG or WebP with transparency four.
struct Limits {
  int64_t pixels = int64_t{1} << 27;  // width * height
  int64_t bytes = int64_t{1} << 29;   // of the file
};

/// Error unless an image of this size may be decoded.
void require_within(int64_t width, int64_t height, const Limits& limits = {});

/// Reads the header only. Error when the file is none of the three formats or its header is
/// damaged.
Facts inspect(std::span<const std::byte> file);

/// The image as RGB, [height, width, 3]. The EXIF orientation is applied, transparent pixels are
/// laid over white, grey becomes R = G = B, 16-bit values are rounded to 8 bits, CMYK is converted
/// without a colour profile (as Pillow does), and embedded profiles and gamma are ignored. Error
/// when the file is damaged, truncated, animated or larger than the limits.
storage::Image decode(std::span<const std::byte> file, const Limits& limits = {});

}  // namespace adassl::images
