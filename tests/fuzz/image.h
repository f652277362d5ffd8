#pragma once

#include "adassl/images/decode.h"
#include "fuzz/harness.h"

namespace adassl::fuzz {

/// Inspects and decodes the input. The three formats share this harness, but not their corpora.
inline void try_image(const uint8_t* data, size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  images::Facts facts;
  const bool inspected = accepted([&] { facts = images::inspect(file); });
  accepted([&] {
    const storage::Image image = images::decode(file, {.pixels = 1 << 18, .bytes = 1 << 20});
    require(inspected, "what can be decoded can be inspected");
    require(image.width == facts.width && image.height == facts.height,
            "the image has the size that its header states");
    require(image.channels == 3 &&
                image.pixels.size() == static_cast<size_t>(3 * image.width * image.height),
            "the image is RGB");
  });
}

}  // namespace adassl::fuzz
