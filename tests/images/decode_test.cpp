#include "adassl/images/decode.h"

#include <cstdio>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jpeglib.h>
#include <unistd.h>

#include "adassl/images/exif.h"
#include "support/error_message.h"
#include "support/golden_images.h"

namespace adassl::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

storage::Image decoded(const std::string& file) { return images::decode(bytes_of(file)); }

std::string why(const std::string& file) {
  return error_of([&] { decoded(file); });
}

std::string big_endian(uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
  return out;
}

/// What libjpeg writes for these CMYK pixels when it is asked for YCCK.
std::string ycck_jpeg(const std::vector<uint8_t>& cmyk, unsigned width, unsigned height) {
  jpeg_compress_struct info{};
  jpeg_error_mgr handler{};
  info.err = jpeg_std_error(&handler);
  jpeg_create_compress(&info);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &out, &size);
  info.image_width = width;
  info.image_height = height;
  info.input_components = 4;
  info.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, JCS_YCCK);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < height) {
    auto* row = const_cast<uint8_t*>(cmyk.data() + size_t{4} * width * info.next_scanline);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<char*>(out), size);
  std::free(out);
  return file;
}

TEST(Decode, EveryFormatAsPillowDoes) {
  const GoldenImages golden;
  const auto names = golden.below("decoded/");
  ASSERT_GE(names.size(), 25U);
  for (const std::string& name : names) {
    const storage::Image expected = golden.image(name);
    const std::string file = GoldenImages::file(name.substr(name.find('/') + 1));
    const storage::Image image = decoded(file);
    EXPECT_EQ(image.width, expected.width) << name;
    EXPECT_EQ(image.height, expected.height) << name;
    EXPECT_EQ(image.channels, 3) << name;
    EXPECT_EQ(largest_difference(image.pixels, expected.pixels), 0) << name;
    const images::Facts facts = images::inspect(bytes_of(file));
    EXPECT_EQ(facts.width, expected.width) << name;
    EXPECT_EQ(facts.height, expected.height) << name;
  }
}

TEST(Decode, InspectionNamesFormatAndChannels) {
  const auto facts = [](const char* name) {
    const std::string file = GoldenImages::file(name);
    return images::inspect(bytes_of(file));
  };
  EXPECT_EQ(facts("rgb.jpg").format, images::Format::kJpeg);
  EXPECT_EQ(facts("grey.jpg").channels, 1);
  EXPECT_EQ(facts("cmyk.jpg").channels, 4);
  EXPECT_EQ(facts("alpha.png").channels, 4);
  EXPECT_EQ(facts("grey-alpha.png").channels, 2);
  EXPECT_EQ(facts("alpha.webp").format, images::Format::kWebp);
  EXPECT_EQ(facts("alpha.webp").channels, 4);
  EXPECT_EQ(facts("exif-7.jpg").orientation, 7);
  EXPECT_EQ(images::name_of(facts("rgb.png").format), "PNG");
}

TEST(Decode, YcckIsConvertedLikeCmyk) {
  // Stored inverted: no ink but a tenth of black, and cyan without black.
  std::vector<uint8_t> cmyk;
  for (int i = 0; i < 64; ++i) {
    const std::array<uint8_t, 4> pixel = i < 32 ? std::array<uint8_t, 4>{255, 255, 255, 230}
                                                : std::array<uint8_t, 4>{100, 255, 255, 255};
    cmyk.insert(cmyk.end(), pixel.begin(), pixel.end());
  }
  const storage::Image image = decoded(ycck_jpeg(cmyk, 8, 8));
  EXPECT_NEAR(image.pixels[0], 230, 3);
  EXPECT_NEAR(image.pixels[1], 230, 3);
  EXPECT_NEAR(image.pixels[3 * 63], 100, 3);
  EXPECT_NEAR(image.pixels[3 * 63 + 1], 255, 3);
}

TEST(Decode, RefusesHugeImagesBeforeMemoryIsTaken) {
  std::string png = GoldenImages::file("rgb.png");
  std::string header = "IHDR" + big_endian(40'000) + big_endian(40'000) + png.substr(24, 5);
  const auto sum = [](const std::string& text) {  // CRC-32, bit by bit
    uint32_t crc = ~0U;
    for (const char c : text) {
      crc ^= static_cast<unsigned char>(c);
      for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (0xEDB88320U & (0U - (crc & 1U)));
    }
    return ~crc;
  };
  png.replace(12, 21, header + big_endian(sum(header)));
  EXPECT_THAT(why(png), HasSubstr("expected at most 134217728 pixels, got 40000x40000"));

  std::string jpeg = GoldenImages::file("rgb.jpg");
  const size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, std::string("\x9c\x40\x9c\x40", 4));
  EXPECT_THAT(why(jpeg), HasSubstr("got 40000x40000"));

  const std::string small = GoldenImages::file("rgb.jpg");
  EXPECT_THAT(error_of([&] { images::decode(bytes_of(small), {.pixels = 100}); }),
              HasSubstr("expected at most 100 pixels, got 23x19"));
  EXPECT_THAT(error_of([&] { images::decode(bytes_of(small), {.bytes = 100}); }),
              HasSubstr("expected at most 100 bytes"));
}

TEST(Decode, TruncatedFilesAreErrors) {
  for (const char* name : {"rgb.jpg", "progressive.jpg", "rgb.png", "interlaced.png", "rgb.webp",
                           "lossless.webp", "alpha.webp"}) {
    const std::string file = GoldenImages::file(name);
    for (const size_t size :
         {size_t{0}, size_t{3}, size_t{20}, file.size() / 2, file.size() * 3 / 4}) {
      EXPECT_THAT(why(file.substr(0, size)), StartsWith("[image] expected")) << name << " " << size;
    }
  }
}

TEST(Decode, OtherFilesAreErrors) {
  EXPECT_EQ(why(""), "[image] expected a JPEG, PNG or WebP file, got an empty file");
  EXPECT_EQ(why("GIF89a......"), "[image] expected a JPEG, PNG or WebP file, got another format");
}

TEST(Decode, DamagedPixelsAreErrors) {
  std::string png = GoldenImages::file("rgb.png");
  png[png.size() / 2] = static_cast<char>(png[png.size() / 2] ^ 0x55);
  EXPECT_THAT(why(png), StartsWith("[image] expected a sound PNG file, got: "));
}

TEST(Decode, PrintsNothing) {
  std::fflush(stderr);
  const int kept = ::dup(2);
  std::FILE* out = std::tmpfile();
  ::dup2(::fileno(out), 2);
  for (const char* name : {"rgb.jpg", "rgb.png", "rgb.webp"}) {
    std::string file = GoldenImages::file(name);
    why(file.substr(0, file.size() - 20));
    for (size_t i = 30; i < file.size(); i += 7) {
      file[i] = static_cast<char>(file[i] ^ 0x11);
      why(file);
    }
  }
  std::fflush(stderr);
  ::dup2(kept, 2);
  ::close(kept);
  std::fseek(out, 0, SEEK_END);
  EXPECT_EQ(std::ftell(out), 0);
  std::fclose(out);
}

TEST(Exif, DamagedBlocksMeanNoOrientation) {
  const std::string good("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0", 26);
  EXPECT_EQ(images::exif_orientation(bytes_of(good)), 6);
  EXPECT_EQ(images::exif_orientation(bytes_of(std::string("Exif\0\0", 6) + good)), 6);
  for (size_t size = 0; size < 20; ++size) {
    EXPECT_EQ(images::exif_orientation(bytes_of(good.substr(0, size))), 1) << size;
  }
  std::string far = good;
  far[4] = '\xff';  // the directory lies beyond the end
  EXPECT_EQ(images::exif_orientation(bytes_of(far)), 1);
  std::string absurd = good;
  absurd[19] = 9;
  EXPECT_EQ(images::exif_orientation(bytes_of(absurd)), 1);
}

}  // namespace
}  // namespace adassl::testing
