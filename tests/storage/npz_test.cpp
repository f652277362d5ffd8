#include "adassl/storage/npz.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/mutation.h"
#include "support/temporary_directory.h"
#include "support/zip.h"

namespace adassl::storage {
namespace {

using testing::contents;
using testing::damaged;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::put;
using testing::TemporaryDirectory;
using testing::zip_of;
using testing::ZipLie;

std::string npy_of(const std::vector<float>& values) {
  const TemporaryDirectory folder;
  write_npy(folder / "a.npy", Dtype::kF32, {static_cast<int64_t>(values.size())},
            std::as_bytes(std::span(values)));
  return contents(folder / "a.npy");
}

std::vector<float> floats(const NpyArray& array) {
  std::vector<float> out(array.bytes.size() / sizeof(float));
  std::memcpy(out.data(), array.bytes.data(), array.bytes.size());
  return out;
}

/// Reads all arrays of the archive.
std::vector<std::vector<float>> read(const std::string& bytes) {
  const TemporaryDirectory folder;
  put(folder / "a.npz", bytes);
  const NpzFile file(folder / "a.npz");
  std::vector<std::vector<float>> out;
  for (const std::string& name : file.names()) out.push_back(floats(file.read(name)));
  return out;
}

std::string mistake_in(const std::string& bytes) {
  return error_of([&] { read(bytes); });
}

TEST(Npz, ReadsStoredAndDeflatedArrays) {
  for (const bool compress : {false, true}) {
    const std::string bytes =
        zip_of({{"x.npy", npy_of({1, 2, 3})}, {"label.npy", npy_of({7})}}, compress);
    EXPECT_THAT(read(bytes), ElementsAre(ElementsAre(7), ElementsAre(1, 2, 3)));
  }
}

TEST(Npz, NamesTheArraysItHas) {
  const TemporaryDirectory folder;
  put(folder / "a.npz", zip_of({{"x.npy", npy_of({1})}, {"y.npy", npy_of({2})}}, true));
  const NpzFile file(folder / "a.npz");
  EXPECT_THAT(file.names(), ElementsAre("x", "y"));
  EXPECT_THAT(error_of([&] { file.read("z"); }), HasSubstr("expected an array 'z', got x, y"));
}

TEST(Npz, RefusesBombsBeforeMemoryIsTaken) {
  const std::string zeros = npy_of(std::vector<float>(10));
  EXPECT_THAT(mistake_in(zip_of({{"x.npy", zeros}}, true, ZipLie{.size = 4'000'000'000})),
              HasSubstr("compressed bytes can have, got 4000000000"));
  EXPECT_THAT(mistake_in(zip_of({{"x.npy", zeros}}, false, ZipLie{.size = 4'000'000'000})),
              HasSubstr("compressed bytes can have, got 4000000000"));
  EXPECT_THAT(
      mistake_in(zip_of({{"x.npy", npy_of(std::vector<float>(9999))}}, true, ZipLie{.size = 1000})),
      HasSubstr("expected 1000 bytes of deflated data, got damaged ones or another number"));
}

TEST(Npz, RefusesWhatNumpyDoesNotWrite) {
  const std::string array = npy_of({1});
  EXPECT_THAT(mistake_in("hello"), HasSubstr("expected an .npz file, got something else"));
  EXPECT_THAT(mistake_in(zip_of({{"x.txt", array}}, true)),
              HasSubstr("expected entries called NAME.npy, got 'x.txt'"));
  EXPECT_THAT(mistake_in(zip_of({{"x.npy", array}, {"x.npy", array}}, true)),
              HasSubstr("got 'x.npy' twice"));
  EXPECT_THAT(mistake_in(zip_of({{"x.npy", array}}, true, ZipLie{.crc = 5})),
              HasSubstr("damaged: its checksum differs"));
  EXPECT_THAT(mistake_in(zip_of({{"x.npy", array}}, true, ZipLie{.size = 0xffffffff})),
              HasSubstr("expected an array below 4 GiB"));
  std::string encrypted = zip_of({{"x.npy", array}}, false);
  encrypted[encrypted.find("PK\x01\x02") + 8] = 1;
  EXPECT_THAT(mistake_in(encrypted), HasSubstr("got an encrypted one"));
}

TEST(Npz, AnswersDamageWithOneLine) {
  const std::string bytes = zip_of({{"x.npy", npy_of({1, 2, 3})}, {"y.npy", npy_of({4})}}, true);
  const random::Stream stream(1, "npz");
  int refused = 0;
  for (uint32_t i = 0; i < 400; ++i) {
    const std::string message = mistake_in(damaged(bytes, stream.at(i)));
    EXPECT_EQ(message.find('\n'), std::string::npos);
    refused += message == "(no error)" ? 0 : 1;
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace adassl::storage
