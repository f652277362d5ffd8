#include "adassl/storage/npy.h"

#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/mutation.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using testing::contents;
using testing::damaged;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::put;
using testing::TemporaryDirectory;

/// The file that numpy.save writes: its header fills up to 128 bytes.
std::string numpy_file(std::string header, const std::string& data) {
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + data;
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

NpyArray read(const std::string& bytes) {
  const TemporaryDirectory folder;
  put(folder / "a.npy", bytes);
  return read_npy(folder / "a.npy");
}

std::string verdict(const std::string& bytes) {
  const std::string message = error_of([&] { read(bytes); });
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  return message;
}

std::string verdict_on_header(const std::string& header) {
  return verdict(numpy_file(header, "12345678"));
}

TEST(Npy, AreTheBytesThatNumpyWrites) {
  const TemporaryDirectory folder;
  const std::string six("\0\0\0\0\0\0\x80?\0\0\0@\0\0@@\0\0\x80@\0\0\xa0@", 24);
  write_npy(folder / "a.npy", {{2, 3}, Dtype::kF32, bytes_of(six)});
  EXPECT_EQ(contents(folder / "a.npy"),
            numpy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", six));
  write_npy(folder / "b.npy", {{3}, Dtype::kU8, bytes_of("abc")});
  EXPECT_EQ(contents(folder / "b.npy"),
            numpy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc"));
  write_npy(folder / "c.npy", {{}, Dtype::kI64, bytes_of("12345678")});
  EXPECT_EQ(contents(folder / "c.npy"),
            numpy_file("{'descr': '<i8', 'fortran_order': False, 'shape': (), }", "12345678"));
}

TEST(Npy, RoundTripsEveryDtype) {
  const TemporaryDirectory folder;
  for (const Dtype dtype :
       {Dtype::kF16, Dtype::kF32, Dtype::kF64, Dtype::kI64, Dtype::kI32, Dtype::kI16, Dtype::kI8,
        Dtype::kU32, Dtype::kU16, Dtype::kU8, Dtype::kBool}) {
    std::string data;
    for (size_t i = 0; i < 6 * size_of(dtype); ++i) data += static_cast<char>(i * 41);
    write_npy(folder / "a.npy", {{1, 6, 1}, dtype, bytes_of(data)});
    const NpyArray found = read_npy(folder / "a.npy");
    EXPECT_EQ(found.dtype, dtype);
    EXPECT_THAT(found.shape, ElementsAre(1, 6, 1));
    EXPECT_EQ(text_of(found.bytes), data);
  }
}

TEST(Npy, RoundTripsAHeaderOfManyDimensions) {
  const TemporaryDirectory folder;
  write_npy(folder / "a.npy", {std::vector<int64_t>(64, 1), Dtype::kU8, bytes_of("x")});
  EXPECT_EQ(contents(folder / "a.npy").size() % 64, 1U);
  EXPECT_EQ(read_npy(folder / "a.npy").shape.size(), 64U);
}

TEST(Npy, ReadsVersionTwoAndOtherSpellings) {
  std::string header = "{\"shape\":(2,1),'descr':\"|u1\",'fortran_order':False}\n";
  std::string file("\x93NUMPY\x02\x00", 8);
  file += static_cast<char>(header.size());
  file += std::string(3, '\0') + header + "xy";
  const NpyArray array = read(file);
  EXPECT_THAT(array.shape, ElementsAre(2, 1));
  EXPECT_EQ(text_of(array.bytes), "xy");
}

TEST(Npy, TakesFortranOrderWhereItMakesNoDifference) {
  EXPECT_THAT(
      read(numpy_file("{'descr': '|u1', 'fortran_order': True, 'shape': (2,), }", "xy")).shape,
      ElementsAre(2));
  EXPECT_THAT(
      verdict(numpy_file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 1), }", "xy")),
      HasSubstr("expected an array in C order, got Fortran order"));
}

TEST(Npy, ReadsTheTypesThatNumpyNames) {
  for (const auto& [descr, dtype] :
       std::vector<std::pair<std::string, Dtype>>{{"<f2", Dtype::kF16},
                                                  {"<i2", Dtype::kI16},
                                                  {"<u2", Dtype::kU16},
                                                  {"|i1", Dtype::kI8},
                                                  {"<u4", Dtype::kU32},
                                                  {"|b1", Dtype::kBool}}) {
    const std::string data(3 * size_of(dtype), '\1');
    const std::string header =
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (3,), }";
    const NpyArray array = read(numpy_file(header, data));
    EXPECT_EQ(array.dtype, dtype) << descr;
    EXPECT_EQ(text_of(array.bytes), data) << descr;
    EXPECT_THAT(verdict(numpy_file(header, data + "x")), HasSubstr("bytes of data for the shape"));
  }
}

TEST(Npy, RefusesOtherTypes) {
  for (const char* descr : {">f4", ">f2", "|O", "<U5", ">i2", "<b1", "<c8", "<u8", "f4", ""}) {
    EXPECT_THAT(verdict_on_header(std::string("{'descr': '") + descr +
                                  "', 'fortran_order': False, 'shape': (2,), }"),
                HasSubstr(std::string("in little endian, got '") + descr + "'"));
  }
  EXPECT_THAT(
      verdict_on_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }"),
      HasSubstr("expected a quoted word"));
}

TEST(Npy, RefusesBrokenFrames) {
  EXPECT_THAT(verdict(""), HasSubstr("got only 0 bytes"));
  EXPECT_THAT(verdict("hello, this is not numpy"), HasSubstr("got something else"));
  EXPECT_THAT(verdict(std::string("\x93NUMPY\x03\x00\x04\x00\x00\x00{}  ", 16)),
              HasSubstr("version 1 or 2, got 3"));
  EXPECT_THAT(verdict(std::string("\x93NUMPY\x01\x00\xff\xff{}", 12)), HasSubstr("65535 bytes"));
  EXPECT_THAT(verdict(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)),
              HasSubstr("4294967295 bytes"));
}

TEST(Npy, RefusesBrokenHeaders) {
  const std::string descr = "'descr': '<f4', ";
  const std::string order = "'fortran_order': False, ";
  const std::string shape = "'shape': (2,), ";
  EXPECT_EQ(read(numpy_file("{" + descr + order + shape + "}", "12345678")).bytes.size(), 8U);
  for (const std::string& header :
       {std::string(), std::string("{"), std::string("{}"), "{" + descr + order + "}",
        "{" + descr + order + shape + shape + "}", "{" + descr + order + shape + "'more': 1}",
        "{" + descr + order + shape + "} x", "{" + descr + "'fortran_order': 0, " + shape + "}",
        "{" + descr + order + "'shape': (2, }", "{" + descr + order + "'shape': (2), }",
        "{" + descr + order + "'shape': 2, }", "{" + descr + order + "'shape': (-2,), }",
        "{" + descr + order + "'shape': (,), }", "{" + descr + order + "'shape': (2.0,), }",
        "{" + descr + order + "'shape': (99999999999999999999,), }",
        std::string("{'descr': '<f4}")}) {
    EXPECT_THAT(verdict_on_header(header), HasSubstr("damaged .npy header: expected")) << header;
  }
}

TEST(Npy, RefusesShapesThatDoNotFitTheFileBeforeMemoryIsTaken) {
  const auto shaped = [](const std::string& shape) {
    return "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  };
  EXPECT_THAT(verdict_on_header(shaped("3,")),
              HasSubstr("expected 12 bytes of data for the shape"));
  EXPECT_THAT(verdict_on_header(shaped("1,")), HasSubstr("expected 4 bytes of data"));
  EXPECT_THAT(verdict_on_header(shaped("1000000000000,")), HasSubstr("expected 4000000000000"));
  EXPECT_THAT(verdict_on_header(shaped("4294967296, 4294967296")), HasSubstr("too large"));
  EXPECT_THAT(verdict_on_header(shaped("0, 9223372036854775807")), HasSubstr("too large"));
}

TEST(Npy, RefusesToWriteWhatItCouldNotRead) {
  const TemporaryDirectory folder;
  EXPECT_THAT(error_of([&] {
                write_npy(folder / "a", {{1}, Dtype::kBF16, bytes_of("xy")});
              }),
              HasSubstr("got BF16"));
  EXPECT_THAT(error_of([&] {
                write_npy(folder / "a", {{3}, Dtype::kU8, bytes_of("xy")});
              }),
              HasSubstr("expected 3 bytes for the shape, got 2"));
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(Npy, EitherReadsOrIsAnErrorWhateverTheDamage) {
  const TemporaryDirectory folder;
  const std::string good =
      numpy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4), }", "12345678");
  const random::Stream stream(21, "damage");
  int refused = 0;
  for (uint32_t i = 0; i < 6000; ++i) {
    put(folder / "a", damaged(good, stream.at(i)));
    try {
      const NpyArray array = read_npy(folder / "a");
      EXPECT_EQ(byte_count(array.dtype, array.shape), array.bytes.size());
    } catch (const Error& error) {
      ++refused;
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    }
  }
  EXPECT_GT(refused, 3000);
  EXPECT_LT(refused, 6000);
}

}  // namespace
}  // namespace adassl::storage
