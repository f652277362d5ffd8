#include "adassl/storage/idx.h"

#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/gzip.h"
#include "support/mutation.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using testing::contents;
using testing::damaged;
using ::testing::ElementsAre;
using testing::error_of;
using testing::gzip;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::put;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

const std::string kImages(
    "\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x03"
    "abcdefghijkl",
    28);
const std::string kLabels("\0\0\x08\x01\0\0\0\x03\x07\x00\x09", 11);

IdxArray read(const std::string& bytes, size_t rank) {
  const TemporaryDirectory folder;
  put(folder / "a", bytes);
  return read_idx(folder / "a", rank);
}

std::string verdict(const std::string& bytes, size_t rank = 3) {
  const std::string message = error_of([&] { read(bytes, rank); });
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  return message;
}

TEST(Idx, ReadsImagesAndLabels) {
  const IdxArray images = read(kImages, 3);
  EXPECT_THAT(images.shape, ElementsAre(2, 2, 3));
  EXPECT_EQ(std::string(images.values.begin(), images.values.end()), "abcdefghijkl");
  EXPECT_THAT(read(kLabels, 1).values, ElementsAre(7, 0, 9));
}

TEST(Idx, FindsGzipByItsContent) {
  EXPECT_EQ(read(gzip(kImages), 3).values, read(kImages, 3).values);
  EXPECT_EQ(read(gzip(kLabels), 1).values, read(kLabels, 1).values);
}

TEST(Idx, ReadsGzipThatIsLongerThanOnePiece) {
  IdxArray noise{{50, 60, 70}, std::vector<uint8_t>(50 * 60 * 70)};
  random::Sequence draws = random::Stream(3, "noise").at(0);
  for (uint8_t& value : noise.values) value = static_cast<uint8_t>(draws.below(256));
  const std::string bytes =
      idx_header(noise.shape) + std::string(noise.values.begin(), noise.values.end());
  EXPECT_GT(gzip(bytes).size(), 200'000U);
  EXPECT_EQ(read(gzip(bytes), 3).values, noise.values);
}

TEST(Idx, WritesWhatItReads) {
  const TemporaryDirectory folder;
  write_idx(folder / "a", read(kImages, 3));
  EXPECT_EQ(contents(folder / "a"), kImages);
  EXPECT_THAT(error_of([&] {
                write_idx(folder / "b", {{3}, {1, 2}});
              }),
              HasSubstr("expected 3 bytes for the shape, got 2"));
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(Idx, RefusesWhatIsNoIdxFile) {
  const TemporaryDirectory folder;
  EXPECT_THAT(error_of([&] { read_idx(folder / "none", 3); }), HasSubstr("no such file"));
  EXPECT_THAT(error_of([&] { read_idx(folder.path(), 3); }), HasSubstr("got a folder"));
  EXPECT_THAT(verdict(""), HasSubstr("expected an IDX header of 4 more bytes, got 0"));
  EXPECT_THAT(verdict("<html>not found</html>"), HasSubstr("expected an IDX file, got something"));
  EXPECT_THAT(verdict(gzip("<html>")), HasSubstr("expected an IDX file, got something"));
  std::string floats = kImages;
  floats[2] = '\x0d';
  EXPECT_THAT(verdict(floats), HasSubstr("unsigned bytes (type 8), got type 13"));
}

TEST(Idx, RefusesAnotherRank) {
  EXPECT_THAT(verdict(kLabels, 3), HasSubstr("expected 3 dimensions, got 1"));
  EXPECT_THAT(verdict(kImages, 1), HasSubstr("expected 1 dimension, got 3"));
}

TEST(Idx, RefusesTruncatedFiles) {
  for (size_t size = 0; size < kImages.size(); ++size) {
    EXPECT_THAT(verdict(kImages.substr(0, size)), HasSubstr("expected ")) << size;
  }
  const std::string small = gzip(kImages);
  for (size_t size = 0; size < small.size(); ++size) {
    EXPECT_THAT(verdict(small.substr(0, size)), HasSubstr("expected ")) << size;
  }
  EXPECT_THAT(verdict(kImages.substr(0, 20)), HasSubstr("expected 12 bytes of data"));
  EXPECT_THAT(verdict(gzip(kImages.substr(0, 20))),
              HasSubstr("expected 12 bytes of data for the shape, got 4"));
}

TEST(Idx, RefusesTrailingBytes) {
  EXPECT_THAT(verdict(kImages + "x"), HasSubstr("expected 12 bytes of data for the shape, got m"));
  EXPECT_THAT(verdict(gzip(kImages + "x")), HasSubstr("expected 12 bytes of data for the shape"));
  EXPECT_THAT(verdict(gzip(kImages) + "x"), HasSubstr("expected nothing after the gzip data"));
}

TEST(Idx, RefusesAbsurdDimensionsBeforeMemoryIsTaken) {
  const std::string absurd("\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16);
  EXPECT_THAT(verdict(absurd), HasSubstr("a header that asks for far more"));
  EXPECT_THAT(verdict(gzip(absurd)), HasSubstr("a header that asks for far more"));
  const std::string large("\0\0\x08\x03\0\0\xff\xff\0\0\0\xff\0\0\xff\xff", 16);
  EXPECT_THAT(verdict(large), HasSubstr("expected at most 1"));
  const std::string medium("\0\0\x08\x03\0\0\xff\xff\0\0\0\xff\0\0\0\x20", 16);
  EXPECT_THAT(verdict(medium), HasSubstr("a file that is too small"));
  EXPECT_THAT(verdict(gzip(medium)), HasSubstr("a file that is too small"));
}

TEST(Idx, DoesNotUnpackMoreThanTheHeaderAsksFor) {
  const std::string bomb = gzip(kImages + std::string(100'000'000, '\0'));
  EXPECT_LT(bomb.size(), 200'000U);
  EXPECT_THAT(verdict(bomb), HasSubstr("expected 12 bytes of data for the shape, got more"));
}

TEST(Idx, EitherReadsOrIsAnErrorWhateverTheDamage) {
  const TemporaryDirectory folder;
  const random::Stream stream(21, "damage");
  for (const bool packed : {false, true}) {
    int refused = 0;
    for (uint32_t i = 0; i < 3000; ++i) {
      put(folder / "a", damaged(packed ? gzip(kImages) : kImages, stream.at(i)));
      try {
        const IdxArray array = read_idx(folder / "a", 3);
        EXPECT_EQ(array.values.size(), array.shape[0] * array.shape[1] * array.shape[2]);
      } catch (const Error& error) {
        ++refused;
        EXPECT_THAT(error.what(), StartsWith("[" + (folder / "a").string() + "] expected "));
        EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
      }
    }
    EXPECT_GT(refused, 1000);
    EXPECT_LT(refused, 3000);
  }
}

}  // namespace
}  // namespace adassl::storage
