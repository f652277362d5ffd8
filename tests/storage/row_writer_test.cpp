#include "adassl/storage/row_writer.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/storage/npy.h"
#include "adassl/storage/safetensors.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

const std::vector<float> kRows = {1, 2.5F, -3, 0.1F, 1e-20F, 4};

std::vector<float> floats_of(std::span<const std::byte> bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

void write(const std::filesystem::path& path) {
  RowWriter writer(path, {.name = "embedding", .rows = 3, .columns = 2});
  writer.append(std::span(kRows).first(2));
  writer.append(std::span(kRows).subspan(2));
  writer.finish();
}

TEST(RowWriter, WritesWhatWriteNpyWrites) {
  const testing::TemporaryDirectory folder;
  write(folder.path() / "a.npy");
  write_npy(folder.path() / "b.npy", Dtype::kF32, {3, 2}, std::as_bytes(std::span(kRows)));
  EXPECT_EQ(read_file(folder.path() / "a.npy", 1 << 20),
            read_file(folder.path() / "b.npy", 1 << 20));
}

TEST(RowWriter, WritesASafetensorsFile) {
  const testing::TemporaryDirectory folder;
  write(folder.path() / "a.safetensors");
  const auto file = Safetensors::read(folder.path() / "a.safetensors");
  EXPECT_EQ(file.at("embedding").shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(floats_of(file.at("embedding").bytes), kRows);
}

TEST(RowWriter, WritesNumbersThatReadBackTheSame) {
  const testing::TemporaryDirectory folder;
  write(folder.path() / "a.csv");
  EXPECT_EQ(read_file(folder.path() / "a.csv", 1 << 20),
            "embedding_0,embedding_1\n1,2.5\n-3,0.1\n1e-20,4\n");
}

TEST(RowWriter, LeavesTheOldFileUntilItIsFinished) {
  const testing::TemporaryDirectory folder;
  const auto path = folder.path() / "a.csv";
  write_atomically(path, "old");
  {
    RowWriter writer(path, {.name = "e", .rows = 2, .columns = 1});
    writer.append(std::span(kRows).first(1));
    EXPECT_EQ(error_of([&] { writer.finish(); }), "[" + path.string() + "] expected 2 rows, got 1");
  }
  EXPECT_EQ(read_file(path, 100), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                          std::filesystem::directory_iterator()),
            1);
}

TEST(RowWriter, RefusesWhatDoesNotFit) {
  const testing::TemporaryDirectory folder;
  EXPECT_THAT(error_of([&] { RowWriter(folder.path() / "a.txt", {.name = "e"}); }),
              HasSubstr("expected a name that ends with .npy, .csv or .safetensors"));
  EXPECT_THAT(
      error_of([&] { RowWriter("/nowhere/a.npy", {.name = "e", .rows = 1, .columns = 1}); }),
      HasSubstr("[/nowhere/a.npy] cannot be written: No such file"));
  RowWriter writer(folder.path() / "a.npy", {.name = "e", .rows = 1, .columns = 2});
  EXPECT_THAT(error_of([&] { writer.append(std::span(kRows).first(3)); }),
              HasSubstr("expected rows of 2 numbers, got 3"));
  EXPECT_THAT(error_of([&] { writer.append(kRows); }), HasSubstr("expected 1 rows, got more"));
}

}  // namespace
}  // namespace adassl::storage
