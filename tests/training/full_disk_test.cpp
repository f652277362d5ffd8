#include "adassl/training/full_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/parts/run.h"
#include "support/temporary_directory.h"

namespace adassl::training {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryDirectory;

/// Fails a given number of times, like a full disk.
struct Disk {
  int failures;
  int code = ENOSPC;
  int tries = 0;
  void operator()() {
    if (tries++ < failures) throw WriteError("[a] cannot be written: No space left", code);
  }
};

TEST(FullDisk, IsWaitedForAndSaid) {
  const TemporaryDirectory folder;
  Log log(folder / "log.txt");
  for (const int code : {ENOSPC, EDQUOT}) {
    Disk disk{2, code};
    when_there_is_room(parts::kWaitForRoom, log, [&] { disk(); });
    EXPECT_EQ(disk.tries, 3);
  }
  const std::string text = testing::contents(folder / "log.txt");
  EXPECT_THAT(text, HasSubstr("[a] cannot be written: No space left; waiting for room"));
  EXPECT_THAT(text, HasSubstr("there is room again: going on"));
}

TEST(FullDisk, StopsTheRunWhereThatIsWanted) {
  const TemporaryDirectory folder;
  Log log(folder / "log.txt");
  Disk disk{1};
  try {
    when_there_is_room(parts::kStopWhenFull, log, [&] { disk(); });
    FAIL() << "expected a Failure";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("make room and resume the run"));
  }
  EXPECT_EQ(disk.tries, 1);
}

TEST(FullDisk, IsNotWhatEveryErrorMeans) {
  const TemporaryDirectory folder;
  Log log(folder / "log.txt");
  Disk hiccup{1, EIO};
  EXPECT_NO_THROW(when_there_is_room(parts::kWaitForRoom, log, [&] { hiccup(); }))
      << "it is tried again";
  Disk broken{9, EIO};
  EXPECT_THROW(when_there_is_room(parts::kWaitForRoom, log, [&] { broken(); }), WriteError);
  EXPECT_EQ(broken.tries, 2);
}

}  // namespace
}  // namespace adassl::training
