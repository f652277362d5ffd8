#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"
#include "support/error_message.h"
#include "support/failing_syncs.h"
#include "support/temporary_directory.h"

/// After a sync that failed, the kernel may have dropped what was written, and a later success does
/// not show that it reached the disk. So everything since the last success is written again.
namespace adassl::storage {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::fail_sync;
using ::testing::HasSubstr;
using testing::syncs;

class FailedSync : public ::testing::Test {
 protected:
  ~FailedSync() override { fail_sync(0, 0); }

  /// What the kernel may do: the bytes from `offset` on become others.
  void lose_from(uint64_t offset) const {
    const auto size = fs::file_size(path_);
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file << std::string(size - offset, '\0');
  }

  testing::TemporaryDirectory folder_;
  fs::path path_ = folder_ / "a";
};

TEST_F(FailedSync, LetsLinesBeWrittenAgain) {
  JsonLinesWriter writer(path_);
  writer.append(1);
  ASSERT_TRUE(writer.sync());
  writer.append(2);
  ASSERT_TRUE(writer.flush());
  writer.append(3);
  fail_sync(1);
  EXPECT_FALSE(writer.sync());
  EXPECT_EQ(writer.last_error(), "[" + path_.string() + "] cannot be written: Input/output error");
  EXPECT_EQ(writer.pending_bytes(), 4U);
  lose_from(2);
  writer.append(4);
  EXPECT_TRUE(writer.sync());
  EXPECT_EQ(contents(path_), "1\n2\n3\n4\n");
  EXPECT_EQ(writer.extent(), (Extent{8, Checksum().add("1\n2\n3\n4\n").hex()}));
}

TEST_F(FailedSync, MayFailManyTimes) {
  JsonLinesWriter writer(path_);
  writer.append(1);
  ASSERT_TRUE(writer.sync());
  fail_sync(1, 3);
  for (const int number : {2, 3, 4}) {
    writer.append(number);
    EXPECT_FALSE(writer.sync());
    EXPECT_EQ(writer.extent().bytes, 2U) << "nothing else is known to be on the disk";
    lose_from(2);
  }
  EXPECT_EQ(error_of([&] { writer.sync_or_throw(); }), "(no error)");
  EXPECT_EQ(contents(path_), "1\n2\n3\n4\n");
}

TEST_F(FailedSync, OfTheFolderOfANewFileIsTriedAgain) {
  fail_sync(1);
  EXPECT_THAT(error_of([&] { JsonLinesWriter writer(path_); }), HasSubstr("Input/output error"));
  fail_sync(0, 0);
  { JsonLinesWriter writer(path_); }
  EXPECT_EQ(syncs, 1) << "the file is there, but its name may be lost";
  JsonLinesWriter writer(path_);
  writer.append(1);
  ASSERT_TRUE(writer.sync());
  fail_sync(0, 0);
  { JsonLinesWriter again(path_); }
  EXPECT_EQ(syncs, 0);
}

TEST_F(FailedSync, LeavesTheOldFile) {
  write_atomically(path_, "old");
  fail_sync(1);
  EXPECT_THAT(error_of([&] { write_atomically(path_, "new"); }), HasSubstr("cannot be written"));
  EXPECT_EQ(contents(path_), "old");
  fail_sync(1);
  OutputFile file(path_);
  file.append("new");
  EXPECT_THAT(error_of([&] { file.finish(); }), HasSubstr("cannot be written"));
  EXPECT_EQ(contents(path_), "old");
  file = OutputFile(path_);
  EXPECT_EQ(folder_.entries(), 2U) << "the first attempt is removed";
}

TEST_F(FailedSync, OfTheFolderIsToldThoughTheFileIsThere) {
  write_atomically(path_, "old");
  fail_sync(2);
  EXPECT_THAT(error_of([&] { write_atomically(path_, "new"); }), HasSubstr("cannot be written"));
  EXPECT_EQ(contents(path_), "new");
  fail_sync(0, 0);
  write_atomically(path_, "new");
  EXPECT_EQ(syncs, 2) << "the file and its folder, once more";
}

TEST_F(FailedSync, OfANewFolderIsTriedAgain) {
  fail_sync(2);
  const fs::path inner = folder_ / "b" / "c";
  EXPECT_THAT(error_of([&] { make_folders(inner); }),
              HasSubstr("[" + inner.string() + "] cannot be made: Input/output error"));
  fail_sync(0, 0);
  make_folders(inner);
  EXPECT_EQ(syncs, 1) << "the folder that holds c";
  EXPECT_TRUE(fs::is_directory(inner));
}

}  // namespace
}  // namespace adassl::storage
