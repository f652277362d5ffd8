#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/hash.h"
#include "adassl/storage/safetensors.h"
#include "support/error_message.h"
#include "support/mutation.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using testing::damaged;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::put;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

std::string length_bytes(uint64_t length) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(length >> (8 * i) & 0xff);
  return out;
}

std::string file_with(const std::string& header, const std::string& data = "") {
  return length_bytes(header.size()) + header + data;
}

/// What the reader says of a file with these bytes, without the path.
std::string verdict(const std::string& bytes) {
  const TemporaryDirectory folder;
  put(folder / "a", bytes);
  const std::string message = error_of([&] { Safetensors::read(folder / "a"); });
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  const std::string prefix = join("[", (folder / "a").string(), "] ");
  EXPECT_THAT(message, StartsWith(prefix));
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return join("{\"dtype\":", dtype, ",\"shape\":", shape, ",\"data_offsets\":", offsets, "}");
}

std::string verdict_on(const std::string& value, const std::string& data = "12345678") {
  return verdict(file_with(join("{\"a\":", value, "}"), data));
}

TEST(HostileSafetensors, WithABrokenFrameAreRefused) {
  EXPECT_THAT(verdict(""), HasSubstr("got only 0 bytes"));
  EXPECT_THAT(verdict("1234567"), HasSubstr("got only 7 bytes"));
  EXPECT_THAT(verdict(length_bytes(3) + "{}"), HasSubstr("a header of 3 bytes"));
  EXPECT_THAT(verdict(length_bytes(UINT64_MAX) + "{}"), HasSubstr("18446744073709551615"));
  EXPECT_THAT(verdict(length_bytes(0)), HasSubstr("does not start with '{'"));
  EXPECT_THAT(verdict(file_with(" {}")), HasSubstr("does not start with '{'"));
}

TEST(HostileSafetensors, WithALargeHeaderAreRefusedBeforeItIsRead) {
  const TemporaryDirectory folder;
  put(folder / "a", length_bytes(100'000'001));
  std::filesystem::resize_file(folder / "a", 200'000'000);  // sparse: takes no space
  EXPECT_THAT(error_of([&] { Safetensors::read(folder / "a"); }), HasSubstr("100000001 bytes"));
}

TEST(HostileSafetensors, LargerThanMemoryAreRefusedBeforeItIsTaken) {
  const TemporaryDirectory folder;
  const std::string header =
      join("{\"a\":", entry("\"U8\"", "[4398046511104]", "[0,4398046511104]"), "}");
  put(folder / "a", file_with(header));
  std::error_code code;
  std::filesystem::resize_file(folder / "a", 8 + header.size() + (uintmax_t{1} << 42), code);
  if (code) GTEST_SKIP() << "this file system has no files of 4 TiB";
  EXPECT_THAT(error_of([&] { Safetensors::read(folder / "a"); }),
              HasSubstr("not fit in memory: 4.0 TiB"));
}

TEST(HostileSafetensors, WithBadJsonAreRefused) {
  EXPECT_THAT(verdict(file_with("{")), HasSubstr("not valid JSON, at its byte"));
  EXPECT_THAT(verdict(file_with("{}x")), HasSubstr("not valid JSON"));
  EXPECT_THAT(verdict(file_with("{\"a\xff\":1}")), HasSubstr("not valid JSON"));
  EXPECT_THAT(verdict(file_with("{\"a\nb\":1}")), HasSubstr("not valid JSON"));
  EXPECT_THAT(verdict(file_with(std::string("{}\0", 3))), HasSubstr("not valid JSON"));
  EXPECT_THAT(verdict_on("{\"dtype\":\"F32\",}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(verdict_on(entry("\"F32\"", "[1e999]", "[0,8]")), HasSubstr("not valid JSON"));
}

TEST(HostileSafetensors, ThatNestDeeplyAreRefusedAtOnce) {
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"shape\":";
  EXPECT_THAT(verdict(file_with(objects)), HasSubstr("a nested object"));
  EXPECT_THAT(verdict_on(std::string(1'000'000, '[')), HasSubstr("a list"));
  EXPECT_THAT(verdict_on(join("{\"shape\":", std::string(1'000'000, '['))), HasSubstr("a list"));
}

TEST(HostileSafetensors, WithDuplicateKeysAreRefused) {
  const std::string good = entry("\"U8\"", "[8]", "[0,8]");
  EXPECT_THAT(verdict(file_with(join("{\"a\":", good, ",\"a\":", good, "}"), "12345678")),
              HasSubstr("'a' is there twice"));
  EXPECT_THAT(
      verdict_on("{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}"),
      HasSubstr("'dtype' is there twice"));
  EXPECT_THAT(verdict(file_with("{\"__metadata__\":{\"k\":\"v\",\"k\":\"w\"}}")),
              HasSubstr("'k' is there twice"));
  EXPECT_THAT(verdict(file_with("{\"__metadata__\":{},\"__metadata__\":{}}")),
              HasSubstr("is there twice"));
}

TEST(HostileSafetensors, WithWrongTypesAreRefused) {
  for (const char* value : {"null", "true", "1", "-1", "1.5", "\"text\"", "[]"}) {
    EXPECT_THAT(verdict_on(value), HasSubstr("where none belongs")) << value;
  }
  EXPECT_THAT(verdict_on(entry("1", "[8]", "[0,8]")), HasSubstr("a number"));
  EXPECT_THAT(verdict_on(entry("[]", "[8]", "[0,8]")), HasSubstr("a list"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "8", "[0,8]")), HasSubstr("a number"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "\"8\"", "[0,8]")), HasSubstr("a text"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[\"8\"]", "[0,8]")), HasSubstr("a text"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[8.0]", "[0,8]")), HasSubstr("a fraction"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[[8]]", "[0,8]")), HasSubstr("a list"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "{}", "[0,8]")), HasSubstr("a nested object"));
  EXPECT_THAT(verdict(file_with("{\"__metadata__\":{\"k\":1}}")), HasSubstr("a number"));
  EXPECT_THAT(verdict(file_with("{\"__metadata__\":[]}")), HasSubstr("a list"));
}

TEST(HostileSafetensors, WithIncompleteOrStrangeEntriesAreRefused) {
  EXPECT_THAT(verdict_on("{}"), HasSubstr("expected dtype, shape and data_offsets"));
  EXPECT_THAT(verdict_on("{\"dtype\":\"U8\",\"shape\":[8]}"), HasSubstr("data_offsets"));
  EXPECT_THAT(verdict_on("{\"color\":1}"), HasSubstr("unknown key 'color'"));
  EXPECT_THAT(verdict_on(entry("\"F99\"", "[8]", "[0,8]")), HasSubstr("unknown dtype 'F99'"));
  EXPECT_THAT(verdict_on(entry("\"U\\n8\"", "[8]", "[0,8]")), HasSubstr("unknown dtype 'U?8'"));
}

TEST(HostileSafetensors, WithImpossibleShapesAreRefused) {
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[-8]", "[0,8]")), HasSubstr("a negative number"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[18446744073709551615]", "[0,8]")),
              HasSubstr("too large"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[99999999999999999999]", "[0,8]")),
              HasSubstr("a fraction"));
  // 2^32 * 2^32 * 2 is 0 and 2^61 * 8 * 8 bytes is 0, both modulo 2^64
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[4294967296,4294967296,2]", "[0,0]"), ""),
              HasSubstr("the shape is too large"));
  EXPECT_THAT(verdict_on(entry("\"F64\"", "[2305843009213693952,8]", "[0,0]"), ""),
              HasSubstr("the shape is too large"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[0,4294967296,4294967296]", "[0,0]"), ""),
              HasSubstr("the shape is too large"));
  std::string ones = "[1";
  for (int i = 0; i < 64; ++i) ones += ",1";
  EXPECT_THAT(verdict_on(entry("\"U8\"", ones + "]", "[0,1]"), "1"), HasSubstr("more than 64"));
}

TEST(HostileSafetensors, WithImpossibleOffsetsAreRefused) {
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[8]", "[8,0]")), HasSubstr("reversed"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[8]", "[0]")), HasSubstr("expected two data_offsets"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[8]", "[0,4,8]")), HasSubstr("got 3"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[7]", "[0,8]")), HasSubstr("expected 7 bytes"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[9]", "[0,9]")), HasSubstr("ends at byte 9"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[7]", "[0,7]")), HasSubstr("expected 7 bytes of data"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[7]", "[1,8]")), HasSubstr("a hole lies before it"));
  EXPECT_THAT(verdict_on(entry("\"U8\"", "[1]", "[9223372036854775806,9223372036854775807]")),
              HasSubstr("a hole"));
  EXPECT_THAT(verdict(file_with(join("{\"a\":", entry("\"U8\"", "[5]", "[0,5]"),
                                     ",\"b\":", entry("\"U8\"", "[5]", "[3,8]"), "}"),
                                "12345678")),
              HasSubstr("'b': overlaps"));
}

TEST(HostileSafetensors, EitherReadOrAreAnErrorWhateverTheDamage) {
  const TemporaryDirectory folder;
  const std::string good = file_with(
      join("{\"__metadata__\":{\"step\":\"12\"},\"a\":", entry("\"F32\"", "[2,1]", "[0,8]"),
           ",\"b\":", entry("\"U8\"", "[3]", "[8,11]"), "}  "),
      "12345678abc");
  const random::Stream stream(20, "damage");
  int read = 0;
  int refused = 0;
  for (uint32_t i = 0; i < 6000; ++i) {
    put(folder / "a", damaged(good, stream.at(i)));
    try {
      const Safetensors file = Safetensors::read(folder / "a");
      Hash hash;  // touches every byte, for the sanitizer
      for (const auto& name : file.names()) {
        hash.add(file.at(name).bytes.data(), file.at(name).bytes.size());
      }
      read += hash.value() != 0;
    } catch (const Error& error) {
      ++refused;
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    }
  }
  EXPECT_EQ(read + refused, 6000);
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 3000);
}

}  // namespace
}  // namespace adassl::storage
