#include "adassl/video/video.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/video/reader.h"
#include "support/error_message.h"
#include "support/small_videos.h"
#include "support/temporary_directory.h"

namespace adassl::video {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using ::testing::HasSubstr;
using testing::number_in;
using testing::put;
using testing::put_sound;
using testing::put_video;
using testing::SmallVideo;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

/// One way to store a video.
struct Storage {
  const char* name;
  const char* file;
  SmallVideo video;
};

class EveryVideo : public ::testing::TestWithParam<Storage> {
 protected:
  void SetUp() override {
    if (!testing::has_encoder(GetParam().video.encoder)) GTEST_SKIP() << "no such encoder here";
    put_video(path_, GetParam().video);
  }

  TemporaryDirectory folder_;
  fs::path path_ = folder_ / GetParam().file;
};

INSTANTIATE_TEST_SUITE_P(
    Video, EveryVideo,
    ::testing::Values(Storage{"mpeg4_avi", "a.avi", {}},
                      Storage{"mpeg4_avi_b_frames", "a.avi", {.b_frames = 2}},
                      Storage{"mpeg4_mp4_b_frames", "a.mp4", {.b_frames = 3}},
                      Storage{"mjpeg_avi", "a.avi", {.encoder = "mjpeg"}},
                      Storage{"mjpeg_mov", "a.mov", {.encoder = "mjpeg"}},
                      Storage{"mpeg2_mkv", "a.mkv", {.encoder = "mpeg2video", .b_frames = 2}},
                      Storage{"ffv1_mkv", "a.mkv", {.encoder = "ffv1"}},
                      Storage{"h264_mp4", "a.mp4", {.encoder = "libx264", .b_frames = 3}},
                      Storage{"h264_mkv", "a.mkv", {.encoder = "libx264", .b_frames = 3}},
                      Storage{"vp9_webm", "a.webm", {.encoder = "libvpx-vp9"}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_P(EveryVideo, IsIndexedByDecodingItOnce) {
  const Index index = index_video(path_);
  ASSERT_EQ(index.frames(), 40);
  EXPECT_EQ(index.width, 32);
  EXPECT_EQ(index.height, 24);
  EXPECT_NEAR(index.rate, 10, 1e-6);
  EXPECT_GE(index.keys.size(), 3U) << "no frame but the first can be jumped to";
  EXPECT_EQ(index.keys.front().frame, 0);
  for (size_t i = 0; i < 40; ++i) EXPECT_NEAR(index.times[i], 0.1 * static_cast<double>(i), 2e-3);
  const Index again = unpack(pack(index));
  EXPECT_EQ(again.sums, index.sums);
  EXPECT_EQ(again.times, index.times);
  EXPECT_EQ(again.keys.back().position, index.keys.back().position);
}

TEST_P(EveryVideo, GivesEachFrameInAnyOrder) {
  const Index index = index_video(path_);
  std::vector<storage::Image> forward;
  {
    Reader reader(path_, index);
    for (int n = 0; n < 40; ++n) forward.push_back(reader.frame(n));
  }
  for (int n = 0; n < 40; ++n) EXPECT_EQ(number_in(forward[static_cast<size_t>(n)]), n);
  std::vector<int> order;
  for (int n = 0; n < 40; ++n) order.insert(order.end(), {n, 39 - n, n, (n * 17) % 40});
  Reader reader(path_, index);
  for (const int n : order) {
    EXPECT_EQ(reader.frame(n).pixels, forward[static_cast<size_t>(n)].pixels) << n;
  }
}

TEST_P(EveryVideo, GivesTheSameBytesToManyThreads) {
  const Index index = index_video(path_);
  std::vector<storage::Image> expected;
  Reader reader(path_, index);
  for (int n = 0; n < 40; ++n) expected.push_back(reader.frame(n));
  Readers readers;
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 draws(t);
      for (int i = 0; i < 40; ++i) {
        const auto n = static_cast<int64_t>(draws() % 38);
        for (int64_t k = n; k < n + 3; ++k) {
          const auto image = readers.frame(path_, index, std::min<int64_t>(k, 39));
          wrong[t] +=
              image.pixels != expected[static_cast<size_t>(std::min<int64_t>(k, 39))].pixels;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

/// A key frame need not suffice: here the index names frames as key frames that are none.
TEST_P(EveryVideo, IsRightWhereDecodingCannotStartAtAKeyFrame) {
  Index index = index_video(path_);
  const Index right = index;
  for (size_t k = 1; k < index.keys.size(); ++k) index.keys[k].frame += 1;
  Reader reader(path_, index), expected(path_, right);
  for (const int n : {39, 14, 27, 3}) EXPECT_EQ(reader.frame(n).pixels, expected.frame(n).pixels);
  index.keys.clear();
  for (const int n : {39, 14}) EXPECT_EQ(reader.frame(n).pixels, expected.frame(n).pixels);
}

TEST_P(EveryVideo, ThatIsCutOffIsRefused) {
  const std::string whole = contents(path_);
  for (const double share : {0.3, 0.5, 0.7}) {
    put(path_, whole.substr(0, static_cast<size_t>(share * static_cast<double>(whole.size()))));
    EXPECT_THAT(error_of([&] { index_video(path_); }), StartsWith("[video] ")) << share;
  }
}

TEST_P(EveryVideo, ThatChangesLaterIsAnError) {
  const Index index = index_video(path_);
  SmallVideo other = GetParam().video;
  other.gop = 5;
  other.frames = 30;
  other.height = 48;
  put_video(path_, other);
  Reader reader(path_, index);
  EXPECT_THAT(error_of([&] { reader.frame(20); }), HasSubstr("did it change?"));
  fs::remove(path_);
  Reader gone(path_, index);
  EXPECT_THAT(error_of([&] { gone.frame(20); }), HasSubstr(path_.filename().string()));
}

class WrongVideo : public ::testing::Test {
 protected:
  std::string mistake(const std::string& name, const Limits& limits = {}) {
    return error_of([&] { index_video(folder_ / name, limits); });
  }
  TemporaryDirectory folder_;
};

TEST_F(WrongVideo, IsRefusedInOneLine) {
  put(folder_ / "empty.avi", "");
  put(folder_ / "text.mp4", "this is not a video\n");
  put(folder_ / "list.mp4", "ffconcat version 1.0\nfile '/etc/passwd'\n");
  put(folder_ / "play.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n");
  put_sound(folder_ / "sound.avi");
  put_video(folder_ / "none.avi", {.frames = 0});
  put_video(folder_ / "wider.avi", {.encoder = "mjpeg", .wider_from = 25});
  EXPECT_THAT(mistake("empty.avi"), HasSubstr("is empty"));
  for (const char* name : {"text.mp4", "list.mp4", "play.mp4"}) {
    EXPECT_THAT(mistake(name), HasSubstr("expected a video (AVI, MP4")) << name;
  }
  EXPECT_THAT(mistake("sound.avi"), HasSubstr("has no video stream"));
  EXPECT_THAT(mistake("none.avi"), HasSubstr("has no frames"));
  EXPECT_THAT(mistake("wider.avi"),
              HasSubstr("changes its size after frame 25, from 32x24 to 64x24"));
  EXPECT_THAT(mistake("missing.avi"), HasSubstr("no such file"));
  EXPECT_THAT(mistake("."), HasSubstr("expected a file, got a folder"));
}

TEST_F(WrongVideo, IsRefusedBeforeItTakesMemory) {
  put_video(folder_ / "a.avi");
  EXPECT_THAT(mistake("a.avi", {.pixels = 32 * 24 - 1}),
              HasSubstr("expected frames of at most 767 pixels, got 32x24"));
  EXPECT_THAT(mistake("a.avi", {.frames = 39}), HasSubstr("expected at most 39 frames"));
  EXPECT_THAT(mistake("a.avi", {.seconds = 3}), HasSubstr("expected at most 3 seconds, got 3.9"));
  EXPECT_EQ(mistake("a.avi", {.pixels = 32 * 24, .frames = 40, .seconds = 3.95}), "(no error)");
}

/// The most address space that this process has had, in bytes.
int64_t peak_address_space() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmPeak:")) return 1024 * std::stoll(line.substr(7));
  }
  return 0;
}

TEST_F(WrongVideo, TakesNoMemoryForSamplesThatItOnlyStates) {
  put_video(folder_ / "a.mp4");
  std::string bytes = contents(folder_ / "a.mp4");
  const size_t sizes = bytes.find("stsz");
  ASSERT_NE(sizes, std::string::npos);
  // After the version, the size of each sample and their number: 80 million of one byte.
  bytes.replace(sizes + 8, 8, std::string("\0\0\0\1\x04\xc4\xb4\0", 8));
  put(folder_ / "a.mp4", bytes);
  const int64_t before = peak_address_space();
  ASSERT_GT(before, 0);
  EXPECT_THAT(mistake("a.mp4"), StartsWith("[video] "));
  EXPECT_LT(peak_address_space() - before, int64_t{1} << 30);
}

TEST_F(WrongVideo, TellsWhereItIsDamaged) {
  put_video(folder_ / "a.avi", {.encoder = "mjpeg"});
  std::string bytes = contents(folder_ / "a.avi");
  const Index index = index_video(folder_ / "a.avi");
  std::fill_n(bytes.begin() + index.keys[20].position + 8, 400, '\x55');
  put(folder_ / "a.avi", bytes);
  EXPECT_THAT(mistake("a.avi"), HasSubstr("is damaged after frame 20"));
}

TEST_F(WrongVideo, IsNoIndexEither) {
  put_video(folder_ / "a.avi", {.frames = 3});
  const std::string bytes = pack(index_video(folder_ / "a.avi"));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(error_of([&] { unpack(std::string_view(bytes).substr(0, size)); }),
                HasSubstr("expected an index"))
        << size;
  }
  EXPECT_THAT(error_of([&] { unpack(bytes + "x"); }), HasSubstr("expected an index"));
}

TEST_F(WrongVideo, HasNoIndexOfARightOne) {
  put_video(folder_ / "a.avi");
  const Index right = index_video(folder_ / "a.avi");
  ASSERT_GT(right.keys.size(), 2U);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::vector<std::function<void(Index&)>> mistakes = {
      [](Index& index) { index.width = 0; },
      [](Index& index) { index.width = kMost; },
      [](Index& index) { index.height = -1; },
      [](Index& index) { index.rate = std::numeric_limits<double>::infinity(); },
      [](Index& index) { index.rate = -1; },
      [](Index& index) { index.times.pop_back(); },
      [](Index& index) { index.times[1] = std::nan(""); },
      [](Index& index) { index.times[2] = 0; },
      [](Index& index) { index.times[0] = -1; },
      [](Index& index) { index.times.back() = 1e7; },
      [](Index& index) { index.keys[0].frame = -1; },
      [](Index& index) { index.keys[0].position = -1; },
      [](Index& index) { index.keys.back().frame = index.frames(); },
      [](Index& index) { index.keys.back().frame = kMost; },
      [](Index& index) { std::swap(index.keys[0], index.keys[1]); },
      [](Index& index) { index.keys[1] = index.keys[0]; },
  };
  EXPECT_EQ(unpack(pack(right)).frames(), right.frames());
  for (size_t i = 0; i < mistakes.size(); ++i) {
    Index wrong = right;
    mistakes[i](wrong);
    EXPECT_THAT(error_of([&] { unpack(pack(wrong)); }), HasSubstr("expected an index")) << i;
  }
}

TEST(VideoColours, OfALosslessFileAreItsOwn) {
  const TemporaryDirectory folder;
  put_video(folder / "a.mkv", {.encoder = "huffyuv", .frames = 6});
  const Index index = index_video(folder / "a.mkv");
  Reader reader(folder / "a.mkv", index);
  EXPECT_EQ(number_in(reader.frame(5)), 5);
}

/// The corner that is black: 0 upper left, 1 upper right, 2 lower left, 3 lower right.
int black_corner(const storage::Image& image) {
  const auto at = [&](int64_t x, int64_t y) {
    return image.pixels[static_cast<size_t>(3 * (y * image.width + x))];
  };
  const int64_t right = image.width - 3, low = image.height - 3;
  const std::vector<uint8_t> corners = {at(2, 2), at(right, 2), at(2, low), at(right, low)};
  return static_cast<int>(std::ranges::min_element(corners) - corners.begin());
}

TEST(VideoRotation, IsApplied) {
  const TemporaryDirectory folder;
  const auto turned = [&](int degrees) {
    put_video(folder / "a.mp4", {.frames = 30, .rotation = degrees, .mark = true});
    const Index index = index_video(folder / "a.mp4");
    const storage::Image image = Reader(folder / "a.mp4", index).frame(20);
    EXPECT_EQ(image.width, index.width);
    EXPECT_EQ(image.height, index.height);
    return std::tuple(image.width, image.height, black_corner(image));
  };
  EXPECT_EQ(turned(0), std::tuple(32, 24, 0));
  EXPECT_EQ(turned(90), std::tuple(24, 32, 2));  // counter-clockwise
  EXPECT_EQ(turned(180), std::tuple(32, 24, 3));
  EXPECT_EQ(turned(270), std::tuple(24, 32, 1));
}

TEST(VideoNames, AreKnownByTheirEnds) {
  EXPECT_TRUE(is_video_name("a/b.AVI"));
  EXPECT_TRUE(is_video_name("x.webm"));
  EXPECT_FALSE(is_video_name(".mp4"));
  EXPECT_FALSE(is_video_name("mp4"));
  EXPECT_FALSE(is_video_name("a.png"));
}

}  // namespace
}  // namespace adassl::video
