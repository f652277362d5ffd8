#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/data/files.h"
#include "adassl/data/samples/image_files.h"
#include "support/error_message.h"
#include "support/huge_png.h"
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

TEST_F(DamagedPictures, ThatAreTooLargeAreFoundByTheirHeadersAlone) {
  put(root_ / "f4" / "0.png", testing::huge_png());
  for (const char* check : {"header", "decode"}) {
    const auto source =
        files_source(text(std::string("tolerate = 0.1\ncheck = '") + check + "'\n"));
    EXPECT_THAT(source->unusable(),
                ::testing::Contains(
                    Unusable{"f4/0.png", "expected at most 134217728 pixels, got 40000x40000"}))
        << check;
  }
}

TEST_F(DamagedPictures, AreRememberedInAnIndex) {
  const auto first = files_source(text("tolerate = 0.02\n"));
  ASSERT_TRUE(fs::exists(folder_ / "index"));
  const auto again = files_source(text("tolerate = 0.02\n"));
  EXPECT_EQ(again->unusable(), first->unusable());
  EXPECT_EQ(again->pairs({1, "p"}, 9).x.bytes, first->pairs({1, "p"}, 9).x.bytes);
  put_picture(root_ / "f1" / "3.png", 15);  // repaired
  EXPECT_EQ(files_source(text("tolerate = 0.02\n"))->unusable().size(), 1U);
  put(folder_ / "index", "adassl index 1\nrubbish");
  EXPECT_EQ(files_source(text("tolerate = 0.02\n"))->unusable().size(), 1U);
  put(folder_ / "index", "a user's notes");
  EXPECT_THAT(error_of([&] { files_source(text("tolerate = 0.02\n")); }),
              HasSubstr("index] expected to write an index of files, got another file there"));
  EXPECT_EQ(testing::contents(folder_ / "index"), "a user's notes");
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
