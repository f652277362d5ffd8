#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/data/files.h"
#include "adassl/data/loader.h"
#include "adassl/storage/safetensors.h"
#include "support/small_files.h"

/// The contract of samples, pairings and views: every kind works with every other one that can see
/// it, and any number of workers makes the same batch.
namespace adassl::data {
namespace {

namespace fs = std::filesystem;
using testing::files_source;
using testing::put;

constexpr int kRows = 600, kWidth = 3, kFolders = 8, kEach = 12;

/// Small data of every kind, in one folder.
class EveryKind : public ::testing::Test {
 protected:
  EveryKind() {
    testing::put_rows(folder_ / "a.npy", kRows, kWidth);
    const storage::NpyArray rows = storage::read_npy(folder_ / "a.npy");
    storage::write_safetensors(folder_ / "a.safetensors",
                               {{"x", rows.dtype, rows.shape, rows.bytes}}, {});
    std::string table = "who,u\n";
    for (int i = 0; i < kRows; ++i) table += fmt::format("p{},{}\n", i / 4, 0.5 * i);
    put(folder_ / "rows.csv", table);
    put(folder_ / "pairs.csv", "a,b\n0,1\n2,3\n4,5\n6,7\n");
  }

  std::string list() const {
    return "kind = 'list'\npath = '" + (folder_ / "pairs.csv").string() + "'\n";
  }
  std::string samples(const char* kind, const char* path, const char* table) const {
    return fmt::format("[samples]\nkind = '{}'\npath = '{}'\ntable = '{}'\n", kind,
                       (folder_ / path).string(), (folder_ / table).string());
  }
  std::string arrays(const char* file) const { return samples("arrays", file, "rows.csv"); }
  /// Images or clips, which are checked once and then known from the index.
  std::string pictures(const char* kind) const {
    if (!fs::exists(folder_ / "pictures")) {
      testing::put_pictures(folder_ / "pictures", kFolders, kEach);
      std::string table = "path,u\n";
      for (int i = 0; i < kFolders * kEach; ++i) {
        table += fmt::format("f{}/{}.png,{}\n", i / kEach, i % kEach, 0.5 * i);
      }
      put(folder_ / "pictures.csv", table);
    }
    return samples(kind, "pictures", "pictures.csv") + "index = '" + (folder_ / "index").string() +
           "'\n";
  }

  testing::TemporaryDirectory folder_;
};

Batch batch_of(const Source& source, int64_t workers) {
  Loader loader({source, 1, 16, 3, workers});
  loader.take(0);
  loader.take(1);
  return loader.take(2);
}

/// What these parts make together.
Batch joined(const std::string& samples, const std::string& pairing, const std::string& view) {
  const std::string text = samples + "[pairing]\n" + pairing + "[views]\n" + view;
  const auto source = files_source(text);
  EXPECT_GT(source->pair_count().value(), 0) << text;
  Batch one = batch_of(*source, 1);
  const Batch many = batch_of(*source, 3);
  const auto equal = [&](const Array& a, const Array& b) {
    EXPECT_EQ(a.shape, b.shape) << text;
    EXPECT_EQ(a.values, b.values) << text;
    EXPECT_EQ(a.bytes, b.bytes) << text;
  };
  equal(one.x, many.x);
  equal(one.x_plus, many.x_plus);
  equal(one.helper, many.helper);
  equal(one.mirror_helper, many.mirror_helper);
  EXPECT_EQ(one.x.shape, one.x_plus.shape) << text;
  return one;
}

TEST_F(EveryKind, OfArraysIsPairedAndSeenInEveryWay) {
  for (const std::string& pairing :
       {std::string("kind = 'self'\n"), std::string("kind = 'time'\ngap = '1-2'\n"), list(),
        std::string("kind = 'group'\nby = 'who'\n"),
        std::string("kind = 'neighbour'\ncolumns = ['u']\n")}) {
    for (const char* view :
         {"kind = 'plain'\n", "kind = 'operations'\noperations = ['noise', 'masking']\n"}) {
      const Batch rows = joined(arrays("a.npy"), pairing, view);
      EXPECT_EQ(rows.x.shape, (std::vector<int64_t>{16, kWidth}));
      // The same rows in another format are the same samples.
      EXPECT_EQ(joined(arrays("a.safetensors"), pairing, view).x.values, rows.x.values);
      const Batch windows = joined(arrays("a.npy") + "window = 4\n", pairing, view);
      EXPECT_EQ(windows.x.shape, (std::vector<int64_t>{16, 4, kWidth}));
    }
  }
}

TEST_F(EveryKind, OfPicturesIsPairedAndSeenInEveryWay) {
  for (const std::string& pairing :
       {std::string("kind = 'self'\n"), std::string("kind = 'time'\ngap = '1-2'\n"), list(),
        std::string("kind = 'group'\nby = 'folder'\n"),
        std::string("kind = 'neighbour'\ncolumns = ['u']\n")}) {
    for (const char* view :
         {"kind = 'plain'\nsize = 8\n", "kind = 'weak'\nsize = 8\n", "kind = 'strong'\nsize = 8\n",
          "kind = 'operations'\nsize = 8\noperations = ['crop', 'grey', 'solarise']\n"}) {
      const Batch images = joined(pictures("images") + "sequence = 'folder'\n", pairing, view);
      EXPECT_EQ(images.x.shape, (std::vector<int64_t>{16, 3, 8, 8}));
      const Batch clips = joined(pictures("clips") + "frames = 3\n", pairing, view);
      EXPECT_EQ(clips.x.shape, (std::vector<int64_t>{16, 3, 3, 8, 8}));
    }
  }
}

}  // namespace
}  // namespace adassl::data
