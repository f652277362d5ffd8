#include "adassl/data/files.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/small_files.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::error_of;
using testing::files_source;
using ::testing::HasSubstr;
using testing::put;
using testing::put_pictures;
using testing::put_rows;
using testing::TemporaryDirectory;

/// Small data of every kind, in one folder.
class FilesSource : public ::testing::Test {
 protected:
  FilesSource() {
    put_rows(folder_ / "a.npy", 600, 3);
    std::string table = "who,u,label\n";
    for (int i = 0; i < 600; ++i) {
      table += "p" + std::to_string(i / 4) + "," + std::to_string(0.5 * i) + "," +
               std::to_string(i % 3) + "\n";
    }
    put(folder_ / "t.csv", table);
  }

  std::string arrays(const std::string& more = "") const {
    return "[samples]\nkind = 'arrays'\npath = '" + (folder_ / "a.npy").string() + "'\ntable = '" +
           (folder_ / "t.csv").string() + "'\n" + more;
  }
  std::string pictures(const std::string& kind, const std::string& more = "") {
    const fs::path root = folder_ / "pictures";
    if (!fs::exists(root)) put_pictures(root, 8, 12);
    return "[samples]\nkind = '" + kind + "'\npath = '" + root.string() + "'\nindex = 'none'\n" +
           more;
  }

  TemporaryDirectory folder_;
};

TEST_F(FilesSource, HasPairsOfTheShapeItPromises) {
  const auto source = files_source(pictures("clips", "frames = 2\n") +
                                   "[pairing]\nkind = 'time'\n[views]\nkind = 'weak'\nsize = 8\n");
  EXPECT_EQ(source->shape().observation, (std::vector<int64_t>{3, 2, 8, 8}));
  EXPECT_EQ(source->shape().element, Element::kUint8);
  const Batch batch = source->pairs({1, "pairs"}, 5);
  EXPECT_EQ(batch.x.shape, (std::vector<int64_t>{5, 3, 2, 8, 8}));
  EXPECT_NE(batch.x_plus.bytes, batch.helper.bytes);
  EXPECT_NE(batch.x.bytes, batch.mirror_helper.bytes);
}

TEST_F(FilesSource, KeepsGroupsTogetherWhenItSplits) {
  const auto source = files_source(arrays() + "[pairing]\nkind = 'group'\nby = 'who'\n");
  const Split& split = source->split();
  EXPECT_EQ(split.train.size() + split.validation.size() + split.test.size(), 600U);
  EXPECT_NEAR(static_cast<double>(split.test.size()), 60, 4);
  EXPECT_NEAR(static_cast<double>(split.validation.size()), 60, 4);
  std::set<int64_t> train, held_out;
  for (const int64_t i : split.train) train.insert(i / 4);
  for (const int64_t i : split.test) held_out.insert(i / 4);
  for (const int64_t i : split.validation) held_out.insert(i / 4);
  for (const int64_t group : held_out) EXPECT_FALSE(train.contains(group));
  EXPECT_TRUE(split.keeps_groups);
  // 'who' cannot be probed, because no held-out person is known; 'label' and 'u' can.
  ASSERT_EQ(source->shape().columns.size(), 2U);
  EXPECT_EQ(source->shape().columns[0].name, "u");
  EXPECT_EQ(source->shape().columns[1].name, "label");
}

TEST_F(FilesSource, WatchesPairsOfValidationSamples) {
  const auto source = files_source(arrays() + "[pairing]\nkind = 'group'\nby = 'who'\n[data]\n" +
                                   "validation = 0.2\n");
  EXPECT_TRUE(source->holds_pairs_out());
  const Batch batch = source->watched_pairs({1, "watch"}, 1000);
  const auto held_out = static_cast<int64_t>(source->split().validation.size());
  EXPECT_EQ(batch.x.rows(), held_out) << "all there are, once each";
  const std::set<int64_t> validation(source->split().validation.begin(),
                                     source->split().validation.end());
  std::set<float> factors;  // the column u: half of the number of the sample
  for (const float u : batch.factors.values) factors.insert(u);
  for (const float u : batch.factors_plus.values) factors.insert(u);
  for (const float u : factors) EXPECT_TRUE(validation.contains(std::lround(2 * u))) << u;
  EXPECT_EQ(source->watched_pairs({1, "watch"}, 10).x.values,
            source->watched_pairs({1, "watch"}, 10).x.values);
}

TEST_F(FilesSource, YieldsEverySampleOnceInPieces) {
  const auto source = files_source(arrays("columns = ['who:none', 'label:none']\n"));
  for (const std::string& population : source->populations()) {
    const int64_t count = source->population_size(population).value();
    std::set<float> seen;  // the first number of a row is the number of the sample
    for (int64_t first = 0; first < count; first += 17) {
      const int64_t rows = std::min<int64_t>(17, count - first);
      const Samples piece = source->samples_from(population, {1, "samples"}, first, rows);
      for (int64_t i = 0; i < rows; ++i) {
        seen.insert(piece.x.values[static_cast<size_t>(3 * i)]);
        EXPECT_EQ(2 * piece.known.values[static_cast<size_t>(i)],
                  piece.x.values[static_cast<size_t>(3 * i)]);
      }
    }
    EXPECT_EQ(static_cast<int64_t>(seen.size()), count) << population;
  }
  const int64_t there = source->population_size("test").value();
  EXPECT_THAT(error_of([&] {
                source->samples_from("test", {1, "samples"}, there - 3, 4);
              }),
              HasSubstr("expected at most"));
}

TEST_F(FilesSource, YieldsEveryPairOnceInPieces) {
  const auto source = files_source(arrays());
  const int64_t count = source->pair_count().value();
  std::set<float> seen;
  for (int64_t first = 0; first < count; first += 100) {
    const int64_t rows = std::min<int64_t>(100, count - first);
    const Batch piece = source->pairs({1, "pairs"}, rows, first);
    for (int64_t i = 0; i < rows; ++i) seen.insert(piece.factors.values[static_cast<size_t>(i)]);
  }
  EXPECT_EQ(static_cast<int64_t>(seen.size()), count);
}

TEST_F(FilesSource, WatchesPairsOfTrainingWhereFewAreHeldOut) {
  const auto source = files_source(arrays() + "[pairing]\nkind = 'group'\nby = 'who'\n[data]\n" +
                                   "validation = 0.05\n");
  EXPECT_FALSE(source->holds_pairs_out());
  EXPECT_EQ(source->watched_pairs({1, "watch"}, 100).x.rows(), 100);
}

TEST_F(FilesSource, SplitsByTheDataAndNotByTheRunsSeed) {
  const std::string text = arrays() + "[pairing]\nkind = 'group'\nby = 'who'\n";
  EXPECT_EQ(files_source(text, 1)->split().test, files_source(text, 2)->split().test);
  EXPECT_NE(files_source(text)->split().test,
            files_source(text + "[data]\nsplit_seed = 2\n")->split().test);
}

TEST_F(FilesSource, SplitsASequenceIntoBlocksOfTimeWithAGap) {
  const auto source =
      files_source(arrays("window = 3\n") + "[pairing]\nkind = 'time'\ngap = '1-5'\n");
  const Split& split = source->split();
  const int64_t first_test = std::ranges::min(split.test);
  const int64_t last_validation = std::ranges::max(split.validation);
  const int64_t first_validation = std::ranges::min(split.validation);
  EXPECT_GE(first_test - last_validation, 5 + 2);  // the gap and what a window covers
  EXPECT_GE(first_validation - split.train.back(), 5 + 2);
  EXPECT_EQ(split.left_out, 2 * (5 + 2 - 1));
  EXPECT_EQ(split.how, "by blocks of time in 1 sequence");
}

TEST_F(FilesSource, CutsOverlappingWindowsInTimeEvenIfEachIsPairedWithItself) {
  const std::string self = "[pairing]\nkind = 'self'\n";
  const auto source = files_source(arrays("window = 4\n") + self);
  const Split& split = source->split();
  EXPECT_EQ(split.how, "by blocks of time in 1 sequence");
  // No row is in windows of two parts.
  EXPECT_GE(std::ranges::min(split.test) - std::ranges::max(split.validation), 4);
  EXPECT_GE(std::ranges::min(split.validation) - split.train.back(), 4);
  // Single rows do not overlap; they are cut in time only if that is asked for.
  EXPECT_EQ(files_source(arrays() + self)->split().how, "by sample");
  EXPECT_EQ(files_source(arrays() + self + "[data]\nsplit_by = 'time'\n")->split().how,
            "by blocks of time in 1 sequence");
}

TEST_F(FilesSource, TakesTheSplitOfAColumn) {
  put_rows(folder_ / "b.npy", 4, 1);
  put(folder_ / "s.csv", "part\ntrain\ntest\nval\ntrain\n");
  const std::string text = "[samples]\npath = '" + (folder_ / "b.npy").string() + "'\ntable = '" +
                           (folder_ / "s.csv").string() + "'\n[data]\nsplit_column = 'part'\n";
  EXPECT_THAT(files_source(text)->split().train, ElementsAre(0, 3));
  EXPECT_THAT(files_source(text)->split().validation, ElementsAre(2));
  put(folder_ / "s.csv", "part\ntrain\ntest\nother\ntrain\n");
  EXPECT_THAT(error_of([&] { files_source(text); }),
              HasSubstr("'part': expected train, validation or test, got 'other'"));
}

TEST_F(FilesSource, TellsTheChangeOfFactorsInStandardDeviations) {
  const auto source = files_source(arrays() + "[pairing]\nkind = 'time'\ngap = '2'\n");
  ASSERT_EQ(source->shape().change, 1);
  const Batch batch = source->pairs({1, "pairs"}, 8);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_FLOAT_EQ(batch.factors_plus.values[i] - batch.factors.values[i], 1.0F);  // two rows
    EXPECT_EQ(batch.change.values[i], batch.change.values[0]);
    EXPECT_LT(batch.change.values[i], 0.05F);
  }
  EXPECT_EQ(files_source(arrays())->shape().change, 0);  // two views of one sample
}

TEST_F(FilesSource, SaysInOneLineThatNoPairIsLeft) {
  EXPECT_THAT(error_of([&] { files_source(arrays() + "[pairing]\nkind = 'group'\nby = 'u'\n"); }),
              HasSubstr("expected at least one pair among the"));
  EXPECT_THAT(error_of([&] { files_source(arrays() + "[views]\nkind = 'strong'\n"); }),
              HasSubstr("strong"));
}

}  // namespace
}  // namespace adassl::data
