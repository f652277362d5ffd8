#include "adassl/data/files.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/data/samples/image_files.h"
#include "support/error_message.h"
#include "support/small_files.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::error_of;
using testing::files_source;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::put;
using testing::put_picture;
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

/// Pictures, some of which are damaged.
class DamagedPictures : public ::testing::Test {
 protected:
  DamagedPictures() {
    put_pictures(root_, 10, 12);
    put(root_ / "f1" / "3.png", "");
    const std::string whole = testing::contents(root_ / "f2" / "5.png");
    put(root_ / "f2" / "5.png", whole.substr(0, whole.size() / 2));
    put(root_ / "f3" / "notes.txt", "no picture");
  }
  std::string text(const std::string& more = "") const {
    return "[samples]\nkind = 'images'\npath = '" + root_.string() + "'\nindex = '" +
           (folder_ / "index").string() + "'\n" + more +
           "[pairing]\nkind = 'group'\n[views]\nkind = 'weak'\nsize = 8\n";
  }

  TemporaryDirectory folder_;
  fs::path root_ = folder_ / "my pictures";
};

TEST_F(DamagedPictures, AreInNoPair) {
  const auto source = files_source(text("tolerate = 0.02\n"));
  const auto bad = source->unusable();
  ASSERT_EQ(bad.size(), 2U);
  EXPECT_EQ(bad[0], (Unusable{"f1/3.png", "is empty"}));
  EXPECT_EQ(bad[1].name, "f2/5.png");
  random::Sequence draws = random::Stream(1, "x").at(0);
  for (int64_t k = 0; k < source->pair_count().value(); ++k) {
    const Pair pair = source->pairing().pair(k, draws);
    for (const int64_t i : {pair.x, pair.x_plus}) {
      const std::string name = source->sample_set().name(i);
      EXPECT_TRUE(name != "f1/3.png" && name != "f2/5.png");
    }
  }
}

TEST_F(DamagedPictures, AreAnErrorThatNamesThemIfTheyAreMany) {
  EXPECT_THAT(error_of([&] { files_source(text()); }),
              HasSubstr("expected at most 0.01 of 120 samples to be unusable (samples.tolerate), "
                        "got 2: 'f1/3.png' is empty; 'f2/5.png' "));
}

TEST_F(DamagedPictures, AreRememberedInAnIndex) {
  const auto first = files_source(text("tolerate = 0.02\n"));
  ASSERT_TRUE(fs::exists(folder_ / "index"));
  const auto again = files_source(text("tolerate = 0.02\n"));
  EXPECT_EQ(again->unusable(), first->unusable());
  EXPECT_EQ(again->pairs({1, "p"}, 9).x.bytes, first->pairs({1, "p"}, 9).x.bytes);
  put_picture(root_ / "f1" / "3.png", 15);  // repaired
  EXPECT_EQ(files_source(text("tolerate = 0.02\n"))->unusable().size(), 1U);
  put(folder_ / "index", "rubbish");
  EXPECT_EQ(files_source(text("tolerate = 0.02\n"))->unusable().size(), 1U);
}

TEST_F(DamagedPictures, StayLeftOutWhereARunBeganWithoutThem) {
  const auto first = files_source(text("tolerate = 0.02\n"));
  put_picture(root_ / "f1" / "3.png", 15);
  const auto again = files_source(text("tolerate = 0.02\n"));
  EXPECT_NE(again->pair_count(), first->pair_count());
  again->leave_out(first->unusable());
  EXPECT_EQ(again->unusable(), first->unusable());
  EXPECT_EQ(again->pairs({1, "p"}, 40).x.bytes, first->pairs({1, "p"}, 40).x.bytes);
  EXPECT_THAT(error_of([&] {
                again->leave_out({{"gone.png", "is empty"}});
              }),
              HasSubstr("but 'gone.png' is gone"));
}

TEST_F(DamagedPictures, ThatAListNamesTwiceAreLeftOutTwice) {
  std::string names;
  for (const char* name : {"f1/3.png", "f1/4.png", "f1/3.png", "f1/5.png", "f1/6.png"}) {
    names += std::string(name) + "\n";
  }
  put(root_ / "list.txt", names);
  const std::string list = "[samples]\nkind = 'images'\nindex = 'none'\ntolerate = 0.5\npath = '" +
                           (root_ / "list.txt").string() +
                           "'\n[views]\nkind = 'weak'\nsize = 8\n[data]\nvalidation = 0\n"
                           "test = 0\n";
  const auto first = files_source(list);
  ASSERT_EQ(first->unusable().size(), 2U);
  put_picture(root_ / "f1" / "3.png", 15);
  const auto again = files_source(list);
  EXPECT_EQ(again->pair_count(), 5);
  again->leave_out(first->unusable());
  EXPECT_EQ(again->pair_count(), 3);
  EXPECT_EQ(again->unusable(), first->unusable());
}

TEST_F(DamagedPictures, ThatVanishLaterAreAnErrorThatNamesThem) {
  const auto source = files_source(text("tolerate = 0.02\n"));
  fs::remove_all(root_ / "f7");
  EXPECT_THAT(error_of([&] { source->pairs({1, "p"}, 120); }), HasSubstr("f7"));
}

TEST_F(DamagedPictures, AreAbsentFromACacheThatServesTheOthers) {
  const auto plain = files_source(text("tolerate = 0.02\n"));
  const std::string cached =
      text("tolerate = 0.02\ncache_side = 64\ncache = '" + (folder_ / "cache").string() + "'\n");
  const Batch expected = plain->pairs({1, "p"}, 30);
  EXPECT_EQ(files_source(cached)->pairs({1, "p"}, 30).x.bytes, expected.x.bytes);
  ASSERT_TRUE(fs::exists(folder_ / "cache"));
  const auto source = files_source(cached);
  fs::remove_all(root_ / "f7");  // nothing is decoded any more
  EXPECT_EQ(source->pairs({1, "p"}, 30).x.bytes, expected.x.bytes);
  EXPECT_THAT(error_of([&] { files_source(cached); }), HasSubstr("cache"));  // of other files
}

TEST(Pictures, OfAnyNameAreFound) {
  const TemporaryDirectory folder;
  const std::vector<std::string> names = {"a b/it's.png", "a b/new\nline.png", "ü/\"x\".PNG",
                                          "ü/y.png", ".hidden/z.png"};
  for (size_t i = 0; i < names.size(); ++i) put_picture(folder / names[i], static_cast<int>(i));
  const auto set = testing::samples_from("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                                         folder.path().string() + "'");
  std::vector<std::string> found;
  for (int64_t i = 0; i < set->count(); ++i) found.push_back(set->name(i));
  EXPECT_THAT(found, ElementsAre(names[0], names[1], names[2], names[3]));
  EXPECT_EQ(set->columns()[0].text(1), "a b");
  EXPECT_EQ(set->fetch_picture(1, 0).height, 10);
}

TEST(Pictures, OfAListAreThoseOfTheList) {
  const TemporaryDirectory folder;
  put_pictures(folder.path(), 2, 3);
  put(folder / "list.csv", "path,who\nf1/2.png,ann\nf0/0.png,bob\n");
  put(folder / "list.txt", "f1/2.png\r\nf0/0.png\n");
  for (const char* list : {"list.csv", "list.txt"}) {
    const auto set = testing::samples_from("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                                           (folder / list).string() + "'");
    ASSERT_EQ(set->count(), 2);
    EXPECT_EQ(set->name(0), "f1/2.png");
  }
  put(folder / "list.csv", "path\nf1/2.png\nf9/0.png\n");
  EXPECT_THAT(error_of([&] {
                testing::samples_from("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                                      (folder / "list.csv").string() + "'");
              }),
              HasSubstr("got 1: 'f9/0.png' no such file"));
}

TEST(Pictures, BehindALinkThatLeavesTheFolderAreRefusedUnlessAskedFor) {
  const TemporaryDirectory folder;
  put_pictures(folder / "in", 2, 2);
  put_pictures(folder / "out", 1, 2);
  fs::create_directory_symlink(folder / "out", folder / "in" / "link");
  const auto open = [&](const std::string& more) {
    return testing::samples_from("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                                 (folder / "in").string() + "'\n" + more);
  };
  EXPECT_THAT(error_of([&] { open(""); }), HasSubstr("is a link that leads out of the folder"));
  EXPECT_EQ(open("follow_links = true")->count(), 6);
  fs::remove(folder / "in" / "link");
  fs::create_directory_symlink(folder / "in" / "f0", folder / "in" / "same");
  EXPECT_EQ(open("")->count(), 4);
  fs::create_directory_symlink(folder / "in", folder / "in" / "f0" / "loop");
  EXPECT_THAT(error_of([&] { open("follow_links = true"); }), HasSubstr("without a cycle"));
}

TEST(Pictures, ThatAListNamesOutsideOfItsFolderAreRefusedUnlessAskedFor) {
  const TemporaryDirectory folder;
  put_pictures(folder / "in", 2, 2);
  put_pictures(folder / "out", 1, 2);
  const fs::path list = folder / "in" / "list.txt";
  const auto open = [&](const std::string& name, const std::string& more = "") {
    put(list, "f0/0.png\n" + name + "\n");
    return testing::samples_from("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                                 list.string() + "'\n" + more);
  };
  fs::create_directory_symlink(folder / "out", folder / "in" / "folder");
  fs::create_symlink(folder / "out" / "f0" / "1.png", folder / "in" / "file.png");
  fs::create_symlink(folder / "in" / "f1" / "1.png", folder / "in" / "same.png");
  for (const std::string& name :
       {std::string("../out/f0/1.png"), (folder / "out" / "f0" / "1.png").string(),
        std::string("f0/../../out/f0/1.png"), std::string("folder/f0/1.png"),
        std::string("file.png"), std::string("/1.png"), std::string("../in.png"), std::string(".."),
        std::string("f0/../..")}) {
    EXPECT_THAT(error_of([&] { open(name); }),
                HasSubstr("list.txt] expected files below " + (folder / "in").string() + ", got '" +
                          name + "', which leads to /"))
        << name;
    if (name.ends_with("f0/1.png") || name == "file.png") {
      EXPECT_EQ(open(name, "outside = true")->count(), 2) << name;
    }
  }
  for (const std::string& name :
       {std::string("same.png"), std::string("f0/../f1/1.png"), std::string("./f1/1.png"),
        (folder / "in" / "f1" / "1.png").string(), std::string("../in/f1/1.png")}) {
    EXPECT_EQ(open(name)->count(), 2) << name;
  }
  fs::create_directories(folder / "lists");
  put(folder / "lists" / "list.csv", "path\nf0/0.png\n../out/f0/1.png\n");
  EXPECT_THAT(error_of([&] {
                testing::samples_from("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                                      (folder / "lists" / "list.csv").string() + "'\nroot = '" +
                                      (folder / "in").string() + "'");
              }),
              HasSubstr("got '../out/f0/1.png', which leads to "));
}

TEST(Pictures, GetTheColumnsOfATableThatNamesThem) {
  const TemporaryDirectory folder;
  put_pictures(folder.path(), 2, 2);
  const auto open = [&](const std::string& table) {
    put(folder / "t.csv", table);
    return testing::samples_from("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                                 folder.path().string() + "'\ntable = '" +
                                 (folder / "t.csv").string() + "'");
  };
  const auto set = open("who,file\nd,f1/1.png\na,f0/0.png\nb,./f0/1.png\nc,f1/0\nx,other.png\n");
  const DataColumn& who = require_column(set->columns(), "who", "test");
  EXPECT_EQ(who.text(0) + who.text(1) + who.text(2) + who.text(3), "abcd");
  EXPECT_THAT(
      error_of([&] { open("file,who\nf0/0.png,a\n"); }),
      HasSubstr("expected a row for each of 4 samples, got none for 3, such as 'f0/1.png'"));
  EXPECT_THAT(error_of([&] { open("file,who\nf0/0.png,a\nf0/0.png,b\n"); }),
              HasSubstr("t.csv:3] expected one row for each sample, got a second one for"));
  EXPECT_THAT(error_of([&] { open("who\na\n"); }), HasSubstr("expected a column path, file"));
}

TEST(Pictures, ThatAreNotThereAreOneLine) {
  const TemporaryDirectory folder;
  const auto open = [&](const std::string& path) {
    return error_of([&] {
      testing::samples_from("[samples]\nkind = 'images'\nindex = 'none'\npath = '" + path + "'");
    });
  };
  EXPECT_THAT(open(folder.path().string()), HasSubstr("expected images (.jpg, .jpeg, .png, .webp), "
                                                      "got none"));
  EXPECT_THAT(open((folder / "none").string()), HasSubstr("no such file"));
  EXPECT_THAT(open(""), HasSubstr("expected a folder or a list of files, got nothing"));
}

}  // namespace
}  // namespace adassl::data
