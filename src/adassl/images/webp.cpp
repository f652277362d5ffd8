#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <webp/decode.h>

#include "adassl/core/error.h"
#include "adassl/images/exif.h"
#include "adassl/images/formats.h"

namespace adassl::images {
namespace {

const uint8_t* data_of(Bytes file) { return reinterpret_cast<const uint8_t*>(file.data()); }

WebPBitstreamFeatures features_of(Bytes file) {
  WebPBitstreamFeatures features;
  ADASSL_CHECK(WebPGetFeatures(data_of(file), file.size(), &features) == VP8_STATUS_OK,
               "[image] expected a sound WebP file, got a damaged header");
  return features;
}

/// The orientation in the chunk EXIF, which stands after the image.
int orientation_of(Bytes file) {
  constexpr size_t kHeader = 8;  // of a chunk: its name and its size, little-endian
  for (size_t at = 12; at + kHeader <= file.size();) {
    size_t size = 0;
    for (size_t i = 0; i < 4; ++i) size |= static_cast<size_t>(file[at + 4 + i]) << (8 * i);
    const size_t rest = file.size() - at - kHeader;
    if (size > rest) return 1;
    if (std::memcmp(file.data() + at, "EXIF", 4) == 0) {
      return exif_orientation(file.subspan(at + kHeader, size));
    }
    at += kHeader + size + size % 2;
  }
  return 1;
}

}  // namespace

Facts inspect_webp(Bytes file) {
  const WebPBitstreamFeatures features = features_of(file);
  return facts_of(Format::kWebp, features.width, features.height, features.has_alpha != 0 ? 4 : 3,
                  orientation_of(file));
}

storage::Image decode_webp(Bytes file, const Limits& limits) {
  const WebPBitstreamFeatures features = features_of(file);
  require_within(features.width, features.height, limits);
  ADASSL_CHECK(features.has_animation == 0, "[image] expected one picture, got an animated WebP");
  storage::Image image = storage::make_image(features.width, features.height, 3);
  bool worked = false;
  if (features.has_alpha != 0) {
    std::vector<uint8_t> rgba(static_cast<size_t>(4 * image.width * image.height));
    worked = WebPDecodeRGBAInto(data_of(file), file.size(), rgba.data(), rgba.size(),
                                4 * features.width) != nullptr;
    lay_over_white(rgba, image.pixels);
  } else {
    worked = WebPDecodeRGBInto(data_of(file), file.size(), image.pixels.data(), image.pixels.size(),
                               3 * features.width) != nullptr;
  }
  ADASSL_CHECK(worked, "[image] expected a sound WebP file, got damaged or missing data");
  return oriented(std::move(image), orientation_of(file));
}

}  // namespace adassl::images
