#include "adassl/storage/many_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

using ::testing::HasSubstr;

TEST(ManyFiles, AreReplacedWhole) {
  const TemporaryDirectory folder;
  put(folder / "a", "a longer text that was there before");
  storage::write_without_sync(folder / "a", "new");
  storage::write_without_sync(folder / "b", "");
  storage::sync_file_system(folder.path());
  EXPECT_EQ(contents(folder / "a"), "new");
  EXPECT_EQ(contents(folder / "b"), "");
  EXPECT_EQ(folder.entries(), 2);  // no temporary file is left
}

TEST(ManyFiles, SayWhyTheyCannotBeWritten) {
  const TemporaryDirectory folder;
  EXPECT_THAT(error_of([&] { storage::write_without_sync(folder / "no/a", "x"); }),
              HasSubstr("no/a] cannot be written: No such file or directory"));
  EXPECT_THAT(error_of([&] { storage::sync_file_system(folder / "no"); }),
              HasSubstr("no] cannot be written: No such file or directory"));
}

}  // namespace
}  // namespace adassl::testing
