#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

/// Pictures made of pixels, as PNG files; several of one size as an animated PNG, which browsers
/// play and other programs show the first frame of.
namespace adassl::storage {

struct Image {
  int64_t width = 0;
  int64_t height = 0;
  int64_t channels = 1;         // 1: grey; 3: red, green, blue
  std::vector<uint8_t> pixels;  // [height, width, channels]
};

/// Black.
Image make_image(int64_t width, int64_t height, int64_t channels);

std::string encode_png(const Image& image);
/// Plays for ever, each frame `milliseconds` long.
std::string encode_apng(std::span<const Image> frames, int milliseconds);

/// Replace the file atomically.
void write_png(const std::filesystem::path& path, const Image& image);
void write_apng(const std::filesystem::path& path, std::span<const Image> frames, int milliseconds);

}  // namespace adassl::storage
