#pragma once

#include <algorithm>
#include <string>

#include "adassl/storage/png.h"
#include "support/zip.h"

namespace adassl::testing {

inline std::string small_png() {
  storage::Image image = storage::make_image(8, 8, 3);
  image.pixels.assign(image.pixels.size(), 90);
  return storage::encode_png(image);
}

/// A picture whose header says that it has 1,600,000,000 pixels.
inline std::string huge_png() {
  std::string out = small_png();
  const std::string side("\0\0\x9c\x40", 4);
  const std::string header = "IHDR" + side + side + out.substr(24, 5);
  std::string sum =
      little_endian(::crc32_z(0, reinterpret_cast<const Bytef*>(header.data()), header.size()), 4);
  std::ranges::reverse(sum);
  return out.replace(12, 21, header + sum);
}

}  // namespace adassl::testing
