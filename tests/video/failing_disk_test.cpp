#include <atomic>
#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "adassl/core/error.h"
#include "adassl/video/reader.h"
#include "adassl/video/stream.h"
#include "support/small_videos.h"
#include "support/temporary_directory.h"

namespace {
std::atomic<bool> disk_fails = false;
}

/// Takes the place of the system's function in this program.
extern "C" ssize_t pread(int file, void* to, size_t count, off_t offset) {
  if (disk_fails) {
    errno = EIO;
    return -1;
  }
  return ::syscall(SYS_pread64, file, to, count, offset);
}

/// A disk that fails while a video is read says nothing about the video, wherever libav reads.
namespace adassl::video {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;

class FailingDisk : public ::testing::TestWithParam<const char*> {
 protected:
  /// Larger than what libav reads at once.
  FailingDisk() {
    testing::put_video(path_, {.encoder = "mjpeg", .frames = 120, .width = 512, .height = 384});
  }
  ~FailingDisk() override { disk_fails = false; }

  /// "the disk fails" if that is what the call says.
  template <class Call>
  static std::string outcome_of(const Call& call) {
    try {
      call();
      return "it worked";
    } catch (const ReadError& error) {
      return error.path_is_wrong() ? "the path is wrong" : "the disk fails";
    } catch (const Error& error) {
      return error.what();
    }
  }

  TemporaryDirectory folder_;
  fs::path path_ = folder_ / GetParam();
};

INSTANTIATE_TEST_SUITE_P(Video, FailingDisk, ::testing::Values("a.avi", "a.mov", "a.mkv"),
                         [](const auto& each) { return std::string(each.param + 2); });

TEST_P(FailingDisk, IsToldForEveryFrame) {
  const Index index = index_video(path_);
  for (const auto& [from, to] : {std::pair(30, 119), std::pair(119, 1), std::pair(80, 30)}) {
    Readers readers;
    ASSERT_EQ(testing::number_in(readers.frame(path_, index, from)), from % 48);
    disk_fails = true;
    EXPECT_EQ(outcome_of([&] { readers.frame(path_, index, to); }), "the disk fails") << to;
    disk_fails = false;
    EXPECT_EQ(testing::number_in(readers.frame(path_, index, to)), to % 48) << "it works again";
  }
}

/// Matroska keeps the places of its key frames at the end of the file, where the first seek reads
/// them. The other containers state them in their headers.
class FailingSeek : public FailingDisk {};
INSTANTIATE_TEST_SUITE_P(Video, FailingSeek, ::testing::Values("a.mkv"));

TEST_P(FailingSeek, IsToldToo) {
  const Index index = index_video(path_);
  Stream stream(path_, {});
  ASSERT_NE(stream.next(), nullptr);
  const KeyFrame& last = index.keys.back();
  ASSERT_GT(last.position, 1 << 16) << "the file is smaller than what libav reads at once";
  disk_fails = true;
  EXPECT_EQ(outcome_of([&] { stream.seek({last.position, last.time}); }), "the disk fails");
}

TEST_P(FailingDisk, IsToldWhereTheVideoIsOpenedOrChecked) {
  disk_fails = true;
  EXPECT_EQ(outcome_of([&] { Stream(path_, {}); }), "the disk fails");
  EXPECT_EQ(outcome_of([&] { index_video(path_); }), "the disk fails");
}

}  // namespace
}  // namespace adassl::video
