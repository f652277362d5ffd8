#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "adassl/images/decode.h"

/// One decoder for each format; decode.h chooses among them. The C libraries report errors by
/// longjmp, which runs no destructors: each library is called only from functions that own nothing,
/// and its message becomes an Error after they have returned.
namespace adassl::images {

using Bytes = std::span<const std::byte>;

/// Facts with the sides exchanged if the orientation transposes the image.
Facts facts_of(Format format, int64_t width, int64_t height, int64_t channels, int orientation);

/// RGBA over white.
///   rgba [pixels, 4] -> rgb [pixels, 3]
void lay_over_white(std::span<const uint8_t> rgba, std::span<uint8_t> rgb);

Facts inspect_jpeg(Bytes file);
Facts inspect_png(Bytes file);
Facts inspect_webp(Bytes file);

storage::Image decode_jpeg(Bytes file, const Limits& limits);
storage::Image decode_png(Bytes file, const Limits& limits);
storage::Image decode_webp(Bytes file, const Limits& limits);

}  // namespace adassl::images
