#include "adassl/images/exif.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace adassl::images {
namespace {

/// Numbers in the byte order that the block declares; nullopt beyond its end.
class Tiff {
 public:
  explicit Tiff(std::span<const std::byte> bytes) : bytes_(bytes) {}

  void use_little_endian(bool little) { little_ = little; }

  std::optional<uint32_t> number(uint64_t offset, uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
    uint32_t out = 0;
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t place = little_ ? size - 1 - i : i;
      out = out << 8 | static_cast<uint32_t>(bytes_[offset + place]);
    }
    return out;
  }

 private:
  std::span<const std::byte> bytes_;
  bool little_ = false;
};

bool begins_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// Where pixel (x, y) of the result comes from.
struct Source {
  bool transposed;
  bool mirrored;  // the column of the source, counted from the right
  bool flipped;   // the row of the source, counted from the bottom
};

constexpr Source kSources[8] = {{false, false, false}, {false, true, false}, {false, true, true},
                                {false, false, true},  {true, false, false}, {true, false, true},
                                {true, true, true},    {true, true, false}};

}  // namespace

int exif_orientation(std::span<const std::byte> block) {
  constexpr std::string_view kPrefix("Exif\0\0", 6);
  constexpr uint32_t kOrientation = 0x0112;
  constexpr uint32_t kShort = 3;
  if (begins_with(block, kPrefix)) block = block.subspan(kPrefix.size());
  Tiff tiff(block);
  if (begins_with(block, "II")) {
    tiff.use_little_endian(true);
  } else if (!begins_with(block, "MM")) {
    return 1;
  }
  if (tiff.number(2, 2) != 42U) return 1;
  const auto directory = tiff.number(4, 4);
  if (!directory) return 1;
  const auto count = tiff.number(*directory, 2);
  for (uint64_t i = 0; count && i < *count; ++i) {
    const uint64_t entry = uint64_t{*directory} + 2 + 12 * i;
    const auto tag = tiff.number(entry, 2);
    if (!tag) return 1;
    if (*tag != kOrientation) continue;
    if (tiff.number(entry + 2, 2) != kShort || tiff.number(entry + 4, 4) != 1U) return 1;
    const uint32_t value = tiff.number(entry + 8, 2).value_or(1);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

storage::Image oriented(storage::Image image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  const Source source = kSources[orientation - 1];
  const auto width = static_cast<ptrdiff_t>(image.width);
  const auto height = static_cast<ptrdiff_t>(image.height);
  storage::Image out = storage::make_image(source.transposed ? height : width,
                                           source.transposed ? width : height, 3);
  const ptrdiff_t column = source.mirrored ? -3 : 3;
  const ptrdiff_t row = source.flipped ? -3 * width : 3 * width;
  const uint8_t* const first = image.pixels.data() + (source.mirrored ? 3 * (width - 1) : 0) +
                               (source.flipped ? 3 * width * (height - 1) : 0);
  const ptrdiff_t along_x = source.transposed ? row : column;
  const ptrdiff_t along_y = source.transposed ? column : row;
  constexpr int64_t kTile = 32;  // so that a transposition stays in the cache
  for (int64_t y0 = 0; y0 < out.height; y0 += kTile) {
    for (int64_t x0 = 0; x0 < out.width; x0 += kTile) {
      for (int64_t y = y0; y < std::min(y0 + kTile, out.height); ++y) {
        uint8_t* to = out.pixels.data() + 3 * (y * out.width + x0);
        const uint8_t* from = first + y * along_y + x0 * along_x;
        for (int64_t x = x0; x < std::min(x0 + kTile, out.width); ++x) {
          std::copy_n(from, 3, to);
          to += 3;
          from += along_x;
        }
      }
    }
  }
  return out;
}

}  // namespace adassl::images
