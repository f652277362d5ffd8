#include "adassl/images/decode.h"

#include <cstring>
#include <optional>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/images/formats.h"

namespace adassl::images {
namespace {

using namespace std::string_view_literals;

/// The decoders of one format, and how its files begin.
struct Decoder {
  Format format;
  std::string_view name;
  std::string_view magic;
  size_t second_at;  // a second magic word
  std::string_view second;
  Facts (*inspect)(Bytes);
  storage::Image (*decode)(Bytes, const Limits&);
};

constexpr Decoder kDecoders[] = {
    {Format::kJpeg, "JPEG", "\xff\xd8\xff"sv, 0, "", &inspect_jpeg, &decode_jpeg},
    {Format::kPng, "PNG", "\x89PNG\r\n\x1a\n"sv, 0, "", &inspect_png, &decode_png},
    {Format::kWebp, "WebP", "RIFF"sv, 8, "WEBP", &inspect_webp, &decode_webp},
};

bool has_at(Bytes file, size_t offset, std::string_view text) {
  return file.size() >= offset + text.size() &&
         std::memcmp(file.data() + offset, text.data(), text.size()) == 0;
}

const Decoder& decoder_of(Bytes file) {
  ADASSL_CHECK(!file.empty(), "[image] expected a JPEG, PNG or WebP file, got an empty file");
  for (const Decoder& decoder : kDecoders) {
    if (has_at(file, 0, decoder.magic) && has_at(file, decoder.second_at, decoder.second)) {
      return decoder;
    }
  }
  throw Error("[image] expected a JPEG, PNG or WebP file, got another format");
}

}  // namespace

std::string_view name_of(Format format) {
  for (const Decoder& decoder : kDecoders) {
    if (decoder.format == format) return decoder.name;
  }
  return "unknown";
}

void require_within(int64_t width, int64_t height, const Limits& limits) {
  ADASSL_CHECK(width >= 1 && height >= 1, "[image] expected sides of at least 1 pixel, got ", width,
               "x", height);
  ADASSL_CHECK(height <= limits.pixels / width, "[image] expected at most ", limits.pixels,
               " pixels, got ", width, "x", height);
}

Facts facts_of(Format format, int64_t width, int64_t height, int64_t channels, int orientation) {
  Facts out{format, width, height, channels, orientation};
  if (orientation >= 5) std::swap(out.width, out.height);
  return out;
}

void lay_over_white(std::span<const uint8_t> rgba, std::span<uint8_t> rgb) {
  for (size_t i = 0; i < rgb.size() / 3; ++i) {
    const unsigned alpha = rgba[4 * i + 3];
    for (size_t c = 0; c < 3; ++c) {
      const unsigned sum = rgba[4 * i + c] * alpha + 255 * (255 - alpha);
      rgb[3 * i + c] = static_cast<uint8_t>((sum + 127) / 255);
    }
  }
}

Facts inspect(std::span<const std::byte> file) { return decoder_of(file).inspect(file); }

storage::Image decode(std::span<const std::byte> file, const Limits& limits) {
  ADASSL_CHECK(file.size() <= static_cast<uint64_t>(limits.bytes), "[image] expected at most ",
               limits.bytes, " bytes, got ", file.size());
  return decoder_of(file).decode(file, limits);
}

}  // namespace adassl::images
