#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/data/inspection.h"
#include "adassl/data/loader.h"
#include "adassl/data/samples/index.h"
#include "support/error_message.h"
#include "support/small_files.h"
#include "support/small_videos.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::files_source;
using ::testing::HasSubstr;
using testing::number_in;
using testing::put;
using testing::put_pictures;
using testing::put_sound;
using testing::put_video;
using testing::samples_from;
using testing::TemporaryDirectory;

/// Two videos in folders, and a place for an index.
class VideoClips : public ::testing::Test {
 protected:
  VideoClips() {
    put_video(root_ / "run" / "a.avi", {.frames = 40, .b_frames = 2});
    put_video(root_ / "walk" / "b.mp4", {.frames = 30});
  }
  std::string text(const std::string& more = "", const std::string& path = "") const {
    return "[samples]\nkind = 'clips'\npath = '" + (root_ / path).string() + "'\nindex = '" +
           (folder_ / "index").string() + "'\n" + more;
  }
  static std::string pairs(const std::string& gap = "1-5") {
    return "[pairing]\nkind = 'time'\ngap = '" + gap + "'\n[views]\nkind = 'plain'\nsize = 8\n";
  }

  TemporaryDirectory folder_;
  fs::path root_ = folder_ / "videos";
};

TEST_F(VideoClips, AreCutFromEveryVideo) {
  const auto set = samples_from(text("frames = 3\nevery = 2\nstride = 4\n"));
  ASSERT_EQ(set->count(), 9 + 7);  // clips cover five frames
  EXPECT_EQ(set->name(1), "run/a.avi frame 4");
  EXPECT_EQ(set->name(9), "walk/b.mp4 frame 0");
  EXPECT_EQ(set->sequence(8), 0);
  EXPECT_EQ(set->sequence(9), 1);
  EXPECT_EQ(set->time(15), 24);
  EXPECT_EQ(set->duration(), 4);
  EXPECT_EQ(set->extent(3), std::pair(int64_t{32}, int64_t{24}));
  for (const int64_t i : {15, 2, 8}) {
    for (int64_t t = 0; t < 3; ++t) {
      EXPECT_EQ(number_in(set->fetch_picture(i, t)), set->time(i) + 2.0 * static_cast<double>(t));
    }
  }
  EXPECT_EQ(require_column(set->columns(), "folder", "test").text(9), "walk");
  EXPECT_EQ(require_column(set->columns(), "video", "test").text(9), "walk/b.mp4");
  EXPECT_NE(set->content(0), set->content(1));
}

TEST_F(VideoClips, OfOneFrameAreFrames) {
  const auto set = samples_from(text("frames = 1\n", "run/a.avi"));
  EXPECT_EQ(set->count(), 40);
  EXPECT_EQ(set->pictures(), 1);
  EXPECT_EQ(set->name(7), "a.avi frame 7");
  EXPECT_EQ(number_in(set->fetch_picture(7, 0)), 7);
  const auto source = files_source(text("frames = 1\n", "run/a.avi") + pairs());
  EXPECT_EQ(source->shape().observation, (std::vector<int64_t>{3, 8, 8}));
}

TEST_F(VideoClips, HaveTheTimeThatIsAskedFor) {
  EXPECT_NEAR(samples_from(text("clock = 'seconds'\n"))->time(5), 0.5, 1e-9);
  EXPECT_NEAR(samples_from(text("clock = 'seconds'\n"))->duration(), 0.2, 1e-9);
  EXPECT_EQ(samples_from(text("rate = 5\n"))->time(5), 1.0);
  EXPECT_THAT(error_of([&] { samples_from(text("clock = 'seconds'\nrate = 5\n")); }),
              HasSubstr("either clock = \"seconds\" or a rate"));
  // Half a second is five frames.
  const auto source =
      files_source(text("frames = 1\nclock = 'seconds'\n", "run/a.avi") + pairs("0.5"));
  random::Sequence draws = random::Stream(1, "x").at(0);
  const Pair pair = source->pairing().pair(3, draws);
  EXPECT_EQ(pair.x_plus - pair.x, 5);
}

TEST_F(VideoClips, AreTheSameBytesForAnyNumberOfWorkers) {
  const auto source = files_source(text("frames = 2\n") + pairs());
  std::vector<Batch> expected;
  for (const int64_t workers : {0, 1, 2, 5}) {
    Loader loader({*source, 1, 16, 3, workers, 2});
    for (int64_t step = 0; step < 3; ++step) {
      const Batch batch = loader.take(step);
      if (workers == 0) {
        expected.push_back(batch);
        continue;
      }
      EXPECT_EQ(batch.x.bytes, expected[static_cast<size_t>(step)].x.bytes) << workers;
      EXPECT_EQ(batch.x_plus.bytes, expected[static_cast<size_t>(step)].x_plus.bytes) << workers;
    }
  }
  EXPECT_NE(expected[0].x.bytes, expected[1].x.bytes);
}

TEST_F(VideoClips, ComeFromACacheWhereThereIsOne) {
  const auto plain = files_source(text() + pairs());
  const std::string cached =
      text("cache_side = 64\ncache = '" + (folder_ / "cache").string() + "'\n") + pairs();
  const Batch expected = plain->pairs({1, "p"}, 20);
  EXPECT_EQ(files_source(cached)->pairs({1, "p"}, 20).x.bytes, expected.x.bytes);
  const auto source = files_source(cached);
  fs::remove_all(root_);  // nothing is decoded any more
  EXPECT_EQ(source->pairs({1, "p"}, 20).x.bytes, expected.x.bytes);
}

TEST_F(VideoClips, AreRememberedInAnIndex) {
  const auto first = samples_from(text());
  // A file of the same size and time is not decoded again.
  const fs::path path = root_ / "walk" / "b.mp4";
  const auto time = fs::last_write_time(path);
  put(path, std::string(fs::file_size(path), 'x'));
  fs::last_write_time(path, time);
  const auto again = samples_from(text());
  EXPECT_EQ(again->count(), first->count());
  EXPECT_EQ(again->content(50), first->content(50));
  EXPECT_THAT(error_of([&] { again->fetch_picture(50, 0); }), HasSubstr("b.mp4"));
  EXPECT_EQ(samples_from(text("tolerate = 1\n"))->rejected().size(), 0U);
}

TEST_F(VideoClips, AreDecodedAgainWhereTheIndexSpeaksOfAnotherVideo) {
  const auto first = samples_from(text());
  const fs::path path = folder_ / "index";
  const FileIndex right = read_index(path);
  ASSERT_EQ(right.details.size(), 2U);
  FileIndex swapped = right;
  std::swap(swapped.details[0], swapped.details[1]);
  FileIndex empty = right;
  empty.details.clear();
  for (const FileIndex& wrong : {swapped, empty}) {
    ASSERT_TRUE(write_index(path, wrong));
    const auto again = samples_from(text());
    ASSERT_EQ(again->count(), first->count());
    EXPECT_EQ(again->content(50), first->content(50));
    EXPECT_EQ(read_index(path).details, right.details);
  }
}

TEST_F(VideoClips, GetTheColumnsOfATableAboutVideos) {
  put(folder_ / "t.csv", "path,who\na.avi,ann\nwalk/b.mp4,bob\n");
  const auto set = samples_from(text("table = '" + (folder_ / "t.csv").string() + "'\n"));
  EXPECT_EQ(require_column(set->columns(), "who", "test").text(0), "ann");
  EXPECT_EQ(require_column(set->columns(), "who", "test").text(set->count() - 1), "bob");
}

TEST_F(VideoClips, OfAListAreThoseOfTheList) {
  put(root_ / "list.txt", "walk/b.mp4\n");
  EXPECT_EQ(samples_from(text("", "list.txt"))->name(0), "walk/b.mp4 frame 0");
}

TEST_F(VideoClips, LeaveOutVideosThatCannotBeRead) {
  put(root_ / "walk" / "empty.avi", "");
  put_sound(root_ / "walk" / "sound.avi");
  const auto set = samples_from(text("tolerate = 0.05\n"));
  ASSERT_EQ(set->rejected().size(), 2U);
  EXPECT_EQ(set->rejected()[0].name, "walk/empty.avi");
  EXPECT_EQ(set->rejected()[0].reason, "is empty");
  EXPECT_EQ(set->rejected()[1].name, "walk/sound.avi");
  EXPECT_EQ(set->rejected()[1].reason, "has no video stream");
  EXPECT_EQ(set->count(), 38 + 28 + 2);
  const auto source = files_source(text("tolerate = 0.05\n") + pairs());
  EXPECT_EQ(source->unusable().size(), 2U);
  EXPECT_EQ(inspect(*source, 1).unusable.size(), 2U);
  EXPECT_THAT(error_of([&] { samples_from(text()); }),
              HasSubstr("expected at most 0.01 of 68 samples to be unusable"));
  EXPECT_THAT(error_of([&] { samples_from(text("tolerate = 1\n", "walk/sound.avi")); }),
              HasSubstr("expected clips that can be read, got none: 'sound.avi' has no video"));
}

TEST_F(VideoClips, AreRecognisedByTheirPath) {
  EXPECT_EQ(kind_of_samples(root_), "clips");
  EXPECT_EQ(kind_of_samples(root_ / "run" / "a.avi"), "clips");
  put_pictures(folder_ / "pictures", 2, 3);
  EXPECT_EQ(kind_of_samples(folder_ / "pictures"), "images");
  EXPECT_EQ(kind_of_samples(folder_.path()), "images");
  EXPECT_THAT(error_of([&] { samples_from(text("", "..")); }),
              HasSubstr("expected either videos or images to cut clips from, got 2 and 6"));
}

TEST(FrameClips, AreCutFromFoldersOfFrames) {
  const TemporaryDirectory folder;
  put_pictures(folder.path(), 2, 12);
  const std::string text =
      "[samples]\nkind = 'clips'\nindex = 'none'\npath = '" + folder.path().string() + "'\n";
  const auto set = samples_from(text);
  EXPECT_EQ(set->count(), 20);
  EXPECT_EQ(set->name(13), "f1 frame 3");
  EXPECT_EQ(set->time(13), 3);
  EXPECT_EQ(set->duration(), 2);
  EXPECT_NE(set->content(13), 0U);
  put(folder / "f1" / "4.png", "");
  const auto damaged = samples_from(text + "tolerate = 1\n");
  ASSERT_EQ(damaged->rejected().size(), 3U);
  EXPECT_EQ(damaged->rejected()[0].name, "f1 frame 2");
  EXPECT_EQ(damaged->rejected()[0].reason, "frame 'f1/4.png': is empty");
  EXPECT_THAT(error_of([&] { samples_from(text + "tolerate = 1\nclock = 'seconds'\n"); }),
              HasSubstr("expected videos, because images do not say when they were taken"));
}

}  // namespace
}  // namespace adassl::data
