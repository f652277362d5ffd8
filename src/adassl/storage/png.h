#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

/// Raster images as PNG files. Several images of one size become an animated PNG: browsers play it,
/// other programs show its first frame.
namespace adassl::storage {

struct Image {
  int64_t width = 0;
  int64_t height = 0;
  int64_t channels = 1;         // 1: grey; 3: red, green, blue
  std::vector<uint8_t> pixels;  // [height, width, channels]
};

/// A black image.
Image make_image(int64_t width, int64_t height, int64_t channels);

std::string encode_png(const Image& image);
/// An animation that loops forever; each frame is shown for `milliseconds`.
std::string encode_apng(std::span<const Image> frames, int milliseconds);

/// Replace the file atomically.
void write_png(const std::filesystem::path& path, const Image& image);
void write_apng(const std::filesystem::path& path, std::span<const Image> frames, int milliseconds);

}  // namespace adassl::storage
