#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "adassl/data/samples/folder.h"
#include "adassl/data/samples/index.h"
#include "adassl/storage/checksum.h"
#include "support/small_files.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

/// The bytes that the program has asked for and not given back.
size_t allocated() {
  const struct mallinfo2 now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

/// As many files, with names as long as those of ImageNet, in folders of a hundred; all empty. The
/// index says that they are sound, so whoever opens one finds out.
class LargeFolder : public ::testing::Test {
 protected:
  static constexpr int kFiles = 20'000, kEach = 100;

  LargeFolder() {
    for (int f = 0; f < kFiles / kEach; ++f) {
      const fs::path folder = root_ / fmt::format("n{:08}", f);
      fs::create_directories(folder);
      for (int i = 0; i < kEach; ++i) {
        std::ofstream(folder / fmt::format("n{:08}_{:05}.JPEG", f, i));
      }
    }
    const FoundFiles found = find_files(root_, &is_image_name, false);
    FileIndex index;
    for (int64_t i = 0; i < found.names.count(); ++i) {
      FileRecord& record = index.records.emplace_back();
      record.name = storage::short_sum(found.names[i], 0);
      record.stamp = found.stamps[static_cast<size_t>(i)];
      record.content = static_cast<uint64_t>(i + 1);
      record.width = record.height = 64;
      record.verdict = kGood;
    }
    EXPECT_TRUE(write_index(index_, index));
  }

  std::shared_ptr<Files> open() const {
    return testing::files_source("[samples]\nkind = 'images'\npath = '" + root_.string() +
                                 "'\nindex = '" + index_.string() +
                                 "'\n[pairing]\nkind = 'group'\n[views]\nkind = 'weak'\n");
  }

  testing::TemporaryDirectory folder_;
  fs::path root_ = folder_ / "photos", index_ = folder_ / "photos.index";
};

TEST_F(LargeFolder, IsOpenedFromItsIndexWithoutReadingAFileInFewBytesASample) {
  open();  // what is kept for the process, such as threads, is there now
  const size_t before = allocated();
  const auto source = open();
  const double bytes = static_cast<double>(allocated() - before) / kFiles;
  EXPECT_EQ(source->sample_set().count(), kFiles);
  EXPECT_TRUE(source->unusable().empty()) << source->unusable().front().reason;
  EXPECT_EQ(source->pairing().count(), static_cast<int64_t>(source->split().train.size()));
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer has an allocator of its own, which does not count";
#endif
  EXPECT_GT(bytes, 60) << "less than a path and its record: is it counted?";
  EXPECT_LT(bytes, 140);
}

}  // namespace
}  // namespace adassl::data
