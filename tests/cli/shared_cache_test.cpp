#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>

#include "adassl/storage/file.h"
#include "cli/photo_runs.h"
#include "cli/program.h"
#include "support/temporary_directory.h"

/// A cache that another process is building.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SharedCache : public ::testing::Test {
 protected:
  SharedCache() {
    random::Sequence draws = random::Stream(7, "shared cache").at(0);
    for (int i = 0; i < 24; ++i) {
      const fs::path thing = folder_ / "photos" / std::to_string(i / 6);
      fs::create_directories(thing);
      write_noise(thing / (std::to_string(i) + ".png"), draws);
    }
    other_ = storage::FileDescriptor(
        ::open((folder_ / "c.cache.part").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    flock(other_.number(), LOCK_EX);
  }
  /// Starts a run, which waits.
  pid_t train() {
    const pid_t process = start_program(
        train_on_photos(folder_ / "photos", folder_ / "run",
                        {"train.steps=3", "samples.cache=" + (folder_ / "c.cache").string()}),
        ".", errors_);
    EXPECT_TRUE(wait_until(process, [&] { return !said().empty(); }));
    EXPECT_EQ(said(),
              "waiting for another process that builds " + (folder_ / "c.cache").string() + "\n");
    return process;
  }
  std::string said() const { return bytes_of(errors_); }

  TemporaryDirectory folder_;
  fs::path errors_ = folder_ / "err";
  storage::FileDescriptor other_;
};

TEST_F(SharedCache, IsUsedWhenTheOtherProcessHasEnded) {
  const pid_t process = train();
  other_ = storage::FileDescriptor();
  EXPECT_EQ(wait_for(process), 0) << said();
  EXPECT_TRUE(fs::exists(folder_ / "c.cache"));
  EXPECT_FALSE(fs::exists(folder_ / "c.cache.part"));
}

TEST_F(SharedCache, IsNotWaitedForAfterASignal) {
  const pid_t process = train();
  kill(process, SIGTERM);
  EXPECT_EQ(wait_for(process), 128 + SIGTERM);
}

}  // namespace
}  // namespace adassl::testing
