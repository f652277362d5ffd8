#include "adassl/images/cache.h"

#include <atomic>
#include <cstring>
#include <future>
#include <iostream>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/child_process.h"
#include "support/error_message.h"
#include "support/failing_syncs.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

using images::Cache;
using images::CacheKey;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Image i, which is recognised by its pixels. Image 3 is absent.
storage::Image numbered(int64_t i) {
  if (i == 3) return {};
  storage::Image out = storage::make_image(5 + i % 4, 4, 3);
  for (size_t k = 0; k < out.pixels.size(); ++k) {
    out.pixels[k] = static_cast<uint8_t>(7 * static_cast<size_t>(i) + k);
  }
  return out;
}

class ImageCache : public ::testing::Test {
 protected:
  void expect_complete() const {
    const Cache cache(path_, key_);
    ASSERT_EQ(cache.count(), key_.count);
    for (int64_t i = 0; i < key_.count; ++i) {
      ASSERT_EQ(cache.has(i), i != 3) << i;
      if (i == 3) continue;
      const images::Pixels image = cache.image(i);
      EXPECT_EQ(image.width, numbered(i).width);
      EXPECT_TRUE(std::ranges::equal(image.bytes, numbered(i).pixels)) << i;
    }
  }
  std::string why() const {
    return error_of([&] {
      const Cache cache(path_, key_);
      for (int64_t i = 0; i < key_.count; ++i) {
        if (cache.has(i)) cache.image(i);
      }
    });
  }

  TemporaryDirectory folder_;
  std::filesystem::path path_ = folder_ / "images.cache";
  CacheKey key_{100, 4, "a list of files"};
};

TEST_F(ImageCache, HoldsWhatWasStored) {
  int64_t last = 0;
  images::build_cache(path_, key_, &numbered, [&](int64_t done) { last = done; });
  EXPECT_EQ(last, 100);
  EXPECT_EQ(folder_.entries(), 1U);  // nothing else is left
  expect_complete();
}

TEST_F(ImageCache, ContinuesWhereAnEarlierAttemptStopped) {
  int64_t made = 0;
  const auto failing = [&](int64_t i) {
    if (i == 70) throw Error("the disk is gone");
    return numbered(i);
  };
  EXPECT_EQ(error_of([&] { images::build_cache(path_, key_, failing); }), "the disk is gone");
  EXPECT_FALSE(std::filesystem::exists(path_));
  images::build_cache(path_, key_, [&](int64_t i) {
    ++made;
    return numbered(i);
  });
  EXPECT_EQ(made, 36);  // 64 were stored, in two blocks of 32
  expect_complete();
}

TEST_F(ImageCache, BeginsAnewAfterDamagedImages) {
  EXPECT_NE(error_of([&] {
              images::build_cache(path_, key_, [](int64_t i) {
                if (i == 70) throw Error("stop");
                return numbered(i);
              });
            }),
            "(no error)");
  const auto part = folder_ / "images.cache.part";
  std::string bytes = contents(part);
  const size_t pixels = bytes.size() - 56 - 24 * 100;
  bytes[bytes.size() - pixels / 2] = static_cast<char>(bytes[bytes.size() - pixels / 2] ^ 1);
  put(part, bytes);
  int64_t made = 0;
  images::build_cache(path_, key_, [&](int64_t i) {
    ++made;
    return numbered(i);
  });
  EXPECT_GT(made, 36);
  EXPECT_LT(made, 100);
  expect_complete();
}

TEST_F(ImageCache, AnotherKeyBeginsAnew) {
  EXPECT_NE(error_of([&] {
              images::build_cache(path_, {100, 4, "other files"}, [](int64_t i) {
                if (i == 70) throw Error("stop");
                return numbered(i);
              });
            }),
            "(no error)");
  int64_t made = 0;
  images::build_cache(path_, key_, [&](int64_t i) {
    ++made;
    return numbered(i);
  });
  EXPECT_EQ(made, 100);
}

TEST_F(ImageCache, RefusesOtherKeys) {
  images::build_cache(path_, key_, &numbered);
  key_.contents = "other files";
  EXPECT_THAT(why(), AllOf(HasSubstr("expected the cache of these files, got that of others"),
                           HasSubstr("remove this one to have it made again")));
  key_.count = 99;
  EXPECT_THAT(why(), HasSubstr("expected a cache of 99 images, got one of 100"));
  key_ = {100, 8, "a list of files"};
  EXPECT_THAT(why(), HasSubstr("expected a cache with the working size 8, got one with 4"));
}

TEST_F(ImageCache, NoticesEveryDamagedByte) {
  key_.count = 5;
  images::build_cache(path_, key_, &numbered);
  const std::string good = contents(path_);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    put(path_, bad);
    ASSERT_NE(why(), "(no error)") << i;
  }
  for (size_t size = 0; size < good.size(); size += 13) {
    put(path_, good.substr(0, size));
    ASSERT_NE(why(), "(no error)") << size;
  }
  put(path_, good);
  EXPECT_EQ(why(), "(no error)");
}

TEST_F(ImageCache, ThatBecomesShorterIsOneLine) {
  images::build_cache(path_, key_, &numbered);
  const Cache cache(path_, key_);
  for (const uint64_t size : {std::filesystem::file_size(path_) - 1, uint64_t{60}, uint64_t{0}}) {
    std::filesystem::resize_file(path_, size);
    EXPECT_THAT(error_of([&] { cache.image(0); }), HasSubstr("it became shorter while it was in "
                                                             "use"));
    EXPECT_THAT(error_of([&] { (void)cache.has(0); }), HasSubstr("it became shorter"));
  }
}

/// Another builder of the same file, which is known to wait. A lock holds among the open files of
/// one process, too.
class SecondBuilder : std::stringbuf {
 public:
  SecondBuilder(const std::filesystem::path& path, const CacheKey& key)
      : before_(std::cerr.rdbuf(this)), thread_([this, path, key] {
          images::build_cache(path, key, [&](int64_t i) {
            ++made_;
            return numbered(i);
          });
        }) {
    waits_.get_future().wait();
  }
  ~SecondBuilder() override { std::cerr.rdbuf(before_); }
  /// How many images it made itself.
  int64_t finish() {
    thread_.join();
    return made_;
  }
  std::string said() const { return str(); }

 private:
  int sync() override {
    if (str().ends_with('\n') && !std::exchange(told_, true)) waits_.set_value();
    return 0;
  }

  std::promise<void> waits_;
  bool told_ = false;
  std::streambuf* before_;
  std::atomic<int64_t> made_ = 0;
  std::thread thread_;
};

TEST_F(ImageCache, IsWaitedForWhereAnotherBuildsIt) {
  std::optional<SecondBuilder> second;
  images::build_cache(path_, key_, [&](int64_t i) {
    if (i == 0) second.emplace(path_, key_);
    return numbered(i);
  });
  EXPECT_EQ(second->finish(), 0);
  EXPECT_EQ(second->said(), "waiting for another process that builds " + path_.string() + "\n");
  EXPECT_EQ(folder_.entries(), 1U);
  expect_complete();
}

TEST_F(ImageCache, IsFinishedByWhoeverWaitedForOneThatFailed) {
  std::optional<SecondBuilder> second;
  EXPECT_EQ(error_of([&] {
              images::build_cache(path_, key_, [&](int64_t i) {
                if (i == 0) second.emplace(path_, key_);
                if (i == 70) throw Error("the disk is gone");
                return numbered(i);
              });
            }),
            "the disk is gone");
  EXPECT_EQ(second->finish(), 36);  // 64 were stored, in two blocks of 32
  expect_complete();
}

TEST_F(ImageCache, LargerImagesAreResized) {
  const storage::Image image = storage::make_image(30, 20, 3);
  const storage::Image small = images::at_working_size(image, 10);
  EXPECT_EQ(small.width, 15);
  EXPECT_EQ(small.height, 10);
  EXPECT_EQ(images::at_working_size(image, 20).width, 30);
}

TEST_F(ImageCache, IsBuiltAnewAfterASyncThatFailed) {
  fail_sync(1);
  EXPECT_THAT(error_of([&] { images::build_cache(path_, key_, &numbered); }),
              HasSubstr("cannot be written: Input/output error"));
  EXPECT_EQ(folder_.entries(), 0U);
  int64_t made = 0;
  images::build_cache(path_, key_, [&](int64_t i) {
    ++made;
    return numbered(i);
  });
  EXPECT_EQ(made, 100);
  expect_complete();
}

TEST_F(ImageCache, AFullDiskIsAnError) {
  const std::string complaint = in_child([&]() -> std::string {
    limit_file_size(4000);
    return error_of([&] { images::build_cache(path_, key_, &numbered); });
  });
  EXPECT_THAT(complaint, HasSubstr("cannot be written"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace adassl::testing
