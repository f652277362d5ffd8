#include "adassl/storage/png.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

struct Chunk {
  std::string type;
  std::string data;
};

uint32_t number_at(const std::string& bytes, size_t at) {
  uint32_t out = 0;
  for (size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return out;
}

/// The CRC of the PNG specification, computed bit by bit, independent of the library.
uint32_t checksum(const std::string& bytes) {
  uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

/// Checks the structure of a file and returns its chunks.
std::vector<Chunk> chunks_of(const std::string& file) {
  EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::vector<Chunk> out;
  size_t at = 8;
  while (at < file.size()) {
    const uint32_t length = number_at(file, at);
    out.push_back({file.substr(at + 4, 4), file.substr(at + 8, length)});
    EXPECT_EQ(number_at(file, at + 8 + length), checksum(out.back().type + out.back().data));
    at += 12 + length;
  }
  EXPECT_EQ(at, file.size());
  return out;
}

/// The rows of pixels, after their filter bytes, which must be zero.
std::vector<uint8_t> pixels_in(const std::string& data, const Image& image) {
  const auto stride = static_cast<size_t>(image.width * image.channels);
  std::vector<uint8_t> rows(static_cast<size_t>(image.height) * (stride + 1));
  uLongf size = rows.size();
  EXPECT_EQ(
      ::uncompress(rows.data(), &size, reinterpret_cast<const Bytef*>(data.data()), data.size()),
      Z_OK);
  EXPECT_EQ(size, rows.size());
  std::vector<uint8_t> out;
  for (size_t y = 0; y < static_cast<size_t>(image.height); ++y) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(y * (stride + 1));
    EXPECT_EQ(*row, 0);
    out.insert(out.end(), row + 1, row + 1 + static_cast<std::ptrdiff_t>(stride));
  }
  return out;
}

Image some_image(int64_t width, int64_t height, int64_t channels, int salt = 0) {
  Image out = make_image(width, height, channels);
  for (size_t i = 0; i < out.pixels.size(); ++i) {
    out.pixels[i] = static_cast<uint8_t>(i * 37 + static_cast<size_t>(salt));
  }
  return out;
}

std::vector<std::string> types_of(const std::vector<Chunk>& chunks) {
  std::vector<std::string> out;
  for (const Chunk& chunk : chunks) out.push_back(chunk.type);
  return out;
}

TEST(Png, HoldsItsPixels) {
  for (const int64_t channels : {1, 3}) {
    for (const auto& [width, height] : {std::pair{5, 3}, std::pair{1, 1}, std::pair{300, 70}}) {
      const Image image = some_image(width, height, channels);
      const auto chunks = chunks_of(encode_png(image));
      ASSERT_THAT(types_of(chunks), ElementsAre("IHDR", "IDAT", "IEND"));
      EXPECT_EQ(number_at(chunks[0].data, 0), static_cast<uint32_t>(width));
      EXPECT_EQ(number_at(chunks[0].data, 4), static_cast<uint32_t>(height));
      const std::string rest = {'\x08', channels == 1 ? '\0' : '\x02', '\0', '\0', '\0'};
      EXPECT_EQ(chunks[0].data.substr(8), rest);
      EXPECT_EQ(pixels_in(chunks[1].data, image), image.pixels);
    }
  }
}

TEST(Png, HoldsTheFramesOfAnAnimation) {
  const std::vector<Image> frames = {some_image(6, 4, 1, 1), some_image(6, 4, 1, 2),
                                     some_image(6, 4, 1, 3)};
  const auto chunks = chunks_of(encode_apng(frames, 250));
  ASSERT_THAT(types_of(chunks),
              ElementsAre("IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"));
  EXPECT_EQ(number_at(chunks[1].data, 0), 3U);  // frames
  EXPECT_EQ(number_at(chunks[1].data, 4), 0U);  // for ever
  EXPECT_EQ(pixels_in(chunks[3].data, frames[0]), frames[0].pixels);
  EXPECT_EQ(pixels_in(chunks[5].data.substr(4), frames[1]), frames[1].pixels);
  EXPECT_EQ(pixels_in(chunks[7].data.substr(4), frames[2]), frames[2].pixels);
  uint32_t number = 0;
  for (const size_t at : {2, 4, 5, 6, 7}) EXPECT_EQ(number_at(chunks[at].data, 0), number++) << at;
  for (const size_t at : {2, 4, 6}) {
    const std::string& control = chunks[at].data;
    ASSERT_EQ(control.size(), 26U);
    EXPECT_EQ(number_at(control, 4), 6U);
    EXPECT_EQ(number_at(control, 8), 4U);
    EXPECT_EQ(number_at(control, 20), 250U << 16 | 1000U);  // 250 / 1000 seconds
  }
}

TEST(Png, IsWrittenWhole) {
  const testing::TemporaryDirectory folder;
  const Image image = some_image(9, 9, 3);
  write_png(folder / "a.png", image);
  EXPECT_EQ(testing::contents(folder / "a.png"), encode_png(image));
  write_apng(folder / "b.png", std::array{image, image}, 40);
  EXPECT_EQ(testing::contents(folder / "b.png"), encode_apng(std::array{image, image}, 40));
  EXPECT_EQ(folder.entries(), 2U);
}

TEST(Png, RefusesWhatIsNoPicture) {
  const auto verdict = [](const Image& image) { return error_of([&] { encode_png(image); }); };
  EXPECT_THAT(verdict({}), HasSubstr("expected sides from 1 to 32768 pixels, got 0x0"));
  EXPECT_THAT(verdict({2, 2, 2, std::vector<uint8_t>(8)}), HasSubstr("1 or 3 channels, got 2"));
  EXPECT_THAT(verdict({2, 2, 1, std::vector<uint8_t>(5)}), HasSubstr("expected 4 bytes, got 5"));
  EXPECT_THAT(verdict({1'000'000, 2, 1, {}}), HasSubstr("got 1000000x2"));
  EXPECT_THAT(error_of([] { encode_apng({}, 100); }), HasSubstr("frames, got 0"));
  const std::vector<Image> uneven = {some_image(2, 2, 1), some_image(2, 3, 1)};
  EXPECT_THAT(error_of([&] { encode_apng(uneven, 100); }), HasSubstr("got 2x2 and 2x3"));
  EXPECT_THAT(error_of([&] { encode_apng(std::span(uneven).first(1), 0); }),
              HasSubstr("milliseconds a frame, got 0"));
}

}  // namespace
}  // namespace adassl::storage
