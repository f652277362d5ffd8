#include "adassl/storage/png.h"

#include <string_view>

#include <zlib.h>

#include "adassl/core/error.h"
#include "adassl/storage/file.h"

namespace adassl::storage {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
constexpr int64_t kLargestSide = 1 << 15;
constexpr size_t kMostFrames = 10'000;
constexpr int kSlowest = 60'000;  // milliseconds: they are stored in two bytes

std::string big_endian(uint64_t value, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out += static_cast<char>(value >> shift & 0xff);
  }
  return out;
}

/// A chunk of a PNG file: length, type, data, checksum.
std::string chunk(std::string_view type, std::string_view data) {
  std::string body(type);
  body += data;
  const uLong sum =
      ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(data.size(), 4) + body + big_endian(sum, 4);
}

std::string header(const Image& image) {
  constexpr uint64_t kBits = 8;
  const uint64_t colours = image.channels == 1 ? 0 : 2;
  return big_endian(static_cast<uint64_t>(image.width), 4) +
         big_endian(static_cast<uint64_t>(image.height), 4) + big_endian(kBits, 1) +
         big_endian(colours, 1) + big_endian(0, 3);  // deflate, adaptive filters, not interlaced
}

/// The compressed rows. Each row begins with its filter type, always 0 (none): large flat areas
/// need no better filter.
std::string compressed(const Image& image) {
  const auto stride = static_cast<size_t>(image.width * image.channels);
  std::string rows;
  rows.reserve(static_cast<size_t>(image.height) * (stride + 1));
  for (size_t y = 0; y < static_cast<size_t>(image.height); ++y) {
    rows += '\0';
    rows.append(reinterpret_cast<const char*>(image.pixels.data()) + y * stride, stride);
  }
  uLongf size = ::compressBound(rows.size());
  std::string out(size, '\0');
  const int code = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(rows.data()), rows.size(), 9);
  if (code != Z_OK) throw std::bad_alloc();  // the only way compress2 can fail here
  out.resize(size);
  return out;
}

void require_drawable(const Image& image) {
  ADASSL_CHECK(image.width >= 1 && image.width <= kLargestSide && image.height >= 1 &&
                   image.height <= kLargestSide,
               "[png] expected sides from 1 to ", kLargestSide, " pixels, got ", image.width, "x",
               image.height);
  ADASSL_CHECK(image.channels == 1 || image.channels == 3, "[png] expected 1 or 3 channels, got ",
               image.channels);
  const auto expected = static_cast<size_t>(image.width * image.height * image.channels);
  ADASSL_CHECK(image.pixels.size() == expected, "[png] expected ", expected, " bytes, got ",
               image.pixels.size());
}

std::string frame_control(uint64_t number, const Image& image, int milliseconds) {
  return chunk("fcTL", big_endian(number, 4) + big_endian(static_cast<uint64_t>(image.width), 4) +
                           big_endian(static_cast<uint64_t>(image.height), 4) +
                           big_endian(0, 8) +  // offset: the upper left corner
                           big_endian(static_cast<uint64_t>(milliseconds), 2) +
                           big_endian(1000, 2) + big_endian(0, 2));  // replaces the previous frame
}

}  // namespace

Image make_image(int64_t width, int64_t height, int64_t channels) {
  return {width, height, channels,
          std::vector<uint8_t>(static_cast<size_t>(width * height * channels))};
}

std::string encode_png(const Image& image) {
  require_drawable(image);
  return std::string(kSignature) + chunk("IHDR", header(image)) + chunk("IDAT", compressed(image)) +
         chunk("IEND", "");
}

std::string encode_apng(std::span<const Image> frames, int milliseconds) {
  ADASSL_CHECK(!frames.empty() && frames.size() <= kMostFrames, "[png] expected 1 to ", kMostFrames,
               " frames, got ", frames.size());
  ADASSL_CHECK(milliseconds >= 1 && milliseconds <= kSlowest, "[png] expected 1 to ", kSlowest,
               " milliseconds a frame, got ", milliseconds);
  const Image& first = frames.front();
  std::string out(kSignature);
  uint64_t number = 0;  // of fcTL and fdAT chunks, counted together
  for (const Image& frame : frames) {
    require_drawable(frame);
    ADASSL_CHECK(frame.width == first.width && frame.height == first.height &&
                     frame.channels == first.channels,
                 "[png] expected frames of one size, got ", first.width, "x", first.height, " and ",
                 frame.width, "x", frame.height);
    if (&frame == &first) {
      out += chunk("IHDR", header(frame));
      out += chunk("acTL", big_endian(frames.size(), 4) + big_endian(0, 4));  // 0: loops forever
      out += frame_control(number++, frame, milliseconds);
      out += chunk("IDAT", compressed(frame));
    } else {
      out += frame_control(number++, frame, milliseconds);
      out += chunk("fdAT", big_endian(number++, 4) + compressed(frame));
    }
  }
  return out + chunk("IEND", "");
}

void write_png(const std::filesystem::path& path, const Image& image) {
  storage::write_atomically(path, encode_png(image));
}

void write_apng(const std::filesystem::path& path, std::span<const Image> frames,
                int milliseconds) {
  storage::write_atomically(path, encode_apng(frames, milliseconds));
}

}  // namespace adassl::storage
