#include "adassl/storage/file.h"

#include <array>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/child_process.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using testing::contents;
using testing::drop_privileges;
using testing::error_of;
using ::testing::HasSubstr;
using testing::in_child;
using testing::limit_file_size;
using testing::put;
using testing::TemporaryDirectory;

TEST(ReadFile, GivesEveryByte) {
  const TemporaryDirectory folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  put(folder / "a", bytes);
  EXPECT_EQ(read_file(folder / "a", 6), bytes);
  put(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty", 0), "");
}

TEST(ReadFile, NamesWhatIsWrongInOneLine) {
  const TemporaryDirectory folder;
  put(folder / "a", "1234567");
  const std::string name = folder.path().string();
  EXPECT_EQ(error_of([&] { read_file(folder / "b", 9); }), "[" + name + "/b] no such file");
  EXPECT_EQ(error_of([&] { read_file(folder.path(), 9); }),
            "[" + name + "] expected a file, got a folder");
  EXPECT_EQ(error_of([&] { read_file(folder / "a", 6); }),
            "[" + name + "/a] expected at most 6 B, got 7 B");
  EXPECT_EQ(error_of([&] { read_file(folder / "a/b", 9); }),
            "[" + name + "/a/b] cannot be read: Not a directory");
  EXPECT_EQ(error_of([&] { read_file("/dev/null", 9); }),
            "[/dev/null] expected a file, got a special file");
}

TEST(ReadFile, DoesNotWaitForANamedPipe) {
  const TemporaryDirectory folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { read_file(folder / "pipe", 9); }), HasSubstr("got a special file"));
}

TEST(ReadFile, OfAnUnreadableFileIsAnError) {
  const TemporaryDirectory folder;
  put(folder / "a", "1");
  std::filesystem::permissions(folder / "a", std::filesystem::perms::none);
  EXPECT_THAT(in_child([&] {
                drop_privileges();
                return error_of([&] { read_file(folder / "a", 9); });
              }),
              HasSubstr("/a] cannot be read: Permission denied"));
}

TEST(InputFile, ThatShrinksWhileReadIsAnError) {
  const TemporaryDirectory folder;
  put(folder / "a", "1234567");
  const InputFile file(folder / "a");
  std::filesystem::resize_file(folder / "a", 3);
  std::array<std::byte, 7> bytes{};
  EXPECT_THAT(error_of([&] { file.read_at(0, bytes); }), HasSubstr("ended early, at 3 of 7 bytes"));
}

TEST(WriteAtomically, MakesAndReplacesAFileAndLeavesNothingElse) {
  const TemporaryDirectory folder;
  write_atomically(folder / "a", "first");
  EXPECT_EQ(contents(folder / "a"), "first");
  write_atomically(folder / "a", "2");
  EXPECT_EQ(contents(folder / "a"), "2");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(WriteAtomically, JoinsItsPieces) {
  const TemporaryDirectory folder;
  const std::string_view pieces[] = {"one, ", "", "two"};
  write_atomically(folder / "a", pieces);
  EXPECT_EQ(contents(folder / "a"), "one, two");
}

TEST(WriteAtomically, WritesIntoTheCurrentFolder) {
  const TemporaryDirectory folder;
  EXPECT_EQ(in_child([&] {
              std::filesystem::current_path(folder.path());
              write_atomically("plain", "bytes");
              return std::string();
            }),
            "");
  EXPECT_EQ(contents(folder / "plain"), "bytes");
}

TEST(WriteAtomically, RespectsTheUmaskAsAnyOtherFile) {
  const TemporaryDirectory folder;
  const mode_t before = ::umask(022);
  write_atomically(folder / "a", "x");
  ::umask(before);
  EXPECT_EQ(std::filesystem::status(folder / "a").permissions(), std::filesystem::perms(0644));
}

TEST(WriteAtomically, FailsInOneLineAndLeavesNothing) {
  const TemporaryDirectory folder;
  const std::string name = folder.path().string();
  EXPECT_EQ(error_of([&] { write_atomically(folder / "none/a", "x"); }),
            "[" + name + "/none/a] cannot be written: No such file or directory");
  std::filesystem::create_directory(folder / "sub");
  EXPECT_EQ(error_of([&] { write_atomically(folder / "sub", "x"); }),
            "[" + name + "/sub] cannot be written: Is a directory");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(WriteAtomically, TellsAWrongPathFromAFullOrBrokenDisk) {
  const TemporaryDirectory folder;
  try {
    write_atomically(folder / "none/a", "x");
    FAIL() << "expected a WriteError";
  } catch (const WriteError& error) {
    EXPECT_TRUE(error.path_is_wrong());
    EXPECT_FALSE(error.disk_is_full());
  }
  for (const int code : {ENOSPC, EDQUOT}) {
    EXPECT_TRUE(WriteError("", code).disk_is_full());
    EXPECT_FALSE(WriteError("", code).path_is_wrong());
  }
  EXPECT_FALSE(WriteError("", EIO).path_is_wrong());
  EXPECT_TRUE(ReadError("", EROFS).path_is_wrong());
}

TEST(MakeFolders, MakesAllThatAreMissing) {
  const TemporaryDirectory folder;
  make_folders(folder / "a/b/c");
  make_folders(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  put(folder / "file", "");
  EXPECT_THAT(error_of([&] { make_folders(folder / "file/a"); }),
              HasSubstr("/file/a] cannot be made: Not a directory"));
}

TEST(WriteAtomically, IntoAForbiddenFolderIsAnError) {
  const TemporaryDirectory folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  EXPECT_THAT(in_child([&] {
                drop_privileges();
                return error_of([&] { write_atomically(folder / "a", "x"); });
              }),
              HasSubstr("/a] cannot be written: Permission denied"));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
}

TEST(WriteAtomically, LeavesTheOldFileWhenTheDiskIsFull) {
  const TemporaryDirectory folder;
  put(folder / "a", "old");
  const std::string message = in_child([&] {
    limit_file_size(1000);
    return error_of([&] { write_atomically(folder / "a", std::string(5000, 'x')); });
  });
  EXPECT_EQ(message, "[" + (folder / "a").string() + "] cannot be written: File too large");
  EXPECT_EQ(contents(folder / "a"), "old");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(WriteAtomically, PassesByTheLeftoverOfAKilledProcess) {
  const TemporaryDirectory folder;
  EXPECT_EQ(
      in_child([&] {
        for (int i = 0; i < 100; ++i) {
          put(folder / (".a." + std::to_string(::getpid()) + "-" + std::to_string(i) + ".tmp"),
              "leftover");
        }
        write_atomically(folder / "a", "new");
        return std::string();
      }),
      "");
  EXPECT_EQ(contents(folder / "a"), "new");
}

}  // namespace
}  // namespace adassl::storage
