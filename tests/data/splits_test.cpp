#include "adassl/data/splits.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/small_files.h"

namespace adassl::data {
namespace {

using testing::files_source;
using testing::put;
using testing::put_pictures;

constexpr int kFolders = 20, kEach = 3;

/// The pictures of twenty folders, in a list whose lines may stand in any order.
class ListedPictures : public ::testing::Test {
 protected:
  ListedPictures() {
    put_pictures(folder_.path(), kFolders, kEach);
    for (int f = 0; f < kFolders; ++f) {
      for (int i = 0; i < kEach; ++i) {
        lines_.push_back("f" + std::to_string(f) + "/" + std::to_string(i) + ".png");
      }
    }
  }
  std::shared_ptr<Files> open(const std::string& options) const {
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    put(folder_ / "list.txt", text);
    return files_source("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                        (folder_ / "list.txt").string() + "'\n" + options);
  }
  /// The names of each part.
  std::vector<std::vector<std::string>> split(const std::string& options) const {
    const auto source = open(
        "[views]\nkind = 'weak'\nsize = 8\n[data]\nvalidation = 0.2\n"
        "test = 0.2\n" +
        options);
    std::vector<std::vector<std::string>> out;
    for (const auto* part :
         {&source->split().validation, &source->split().test, &source->split().train}) {
      auto& names = out.emplace_back();
      for (const int64_t i : *part) names.push_back(source->sample_set().name(i));
    }
    std::ranges::sort(out.back());  // training samples are in the order of their numbers
    return out;
  }

  testing::TemporaryDirectory folder_;
  std::vector<std::string> lines_;
};

TEST_F(ListedPictures, AreSplitInTheSameWayInAnyOrder) {
  for (const std::string by : {"split_by = 'folder'\n", "split_by = 'sample'\n",
                               "split_by = 'group'\n[pairing]\nkind = 'group'\n"}) {
    std::ranges::sort(lines_);
    const auto expected = split(by);
    EXPECT_EQ(expected[0].size() + expected[1].size(), 24U) << by;
    std::ranges::reverse(lines_);
    EXPECT_EQ(split(by), expected) << by << "reversed";
    std::ranges::rotate(lines_, lines_.begin() + 31);
    EXPECT_EQ(split(by), expected) << by << "rotated";
  }
}

TEST_F(ListedPictures, AreSplitWithoutDividingAGroupAndWithARemarkOnFewGroups) {
  for (const int folders : {20, 5, 3, 2, 1}) {
    std::erase_if(lines_, [&](const auto& line) { return std::stoi(line.substr(1)) >= folders; });
    const auto source = open(
        "[views]\nkind = 'weak'\nsize = 8\n[data]\nsplit_by = 'group'\n"
        "[pairing]\nkind = 'group'\n");
    const Split& split = source->split();
    std::set<std::string> all;
    std::vector<size_t> groups;
    for (const auto* part : {&split.train, &split.validation, &split.test}) {
      std::set<std::string> own;
      for (const int64_t i : *part) own.insert(source->sample_set().columns()[0].text(i));
      groups.push_back(own.size());
      all.insert(own.begin(), own.end());
    }
    EXPECT_EQ(groups[0] + groups[1] + groups[2], all.size()) << "a group is in two parts";
    EXPECT_EQ(all.size(), static_cast<size_t>(folders));
    ASSERT_FALSE(split.remarks.empty());
    EXPECT_EQ(split.remarks[0],
              join("of the ", folders, " groups, ", groups[0], " are for training, ", groups[1],
                   " for validation and ", groups[2],
                   " for the test: scores on so few groups say little about others"));
    std::vector<std::string> empty;
    if (groups[1] == 0) empty.push_back("no sample is left for validation");
    if (groups[2] == 0) empty.push_back("no sample is left for the test");
    ASSERT_EQ(split.remarks.size(), 1 + empty.size()) << folders;
    for (size_t i = 0; i < empty.size(); ++i) {
      EXPECT_TRUE(split.remarks[1 + i].starts_with(empty[i])) << split.remarks[1 + i];
    }
  }
}

TEST_F(ListedPictures, OfFewSmallGroupsAreSplitByGroup) {
  const auto source = open("[views]\nkind = 'weak'\nsize = 8\n[pairing]\nkind = 'group'\n");
  const Split& split = source->split();
  EXPECT_EQ(split.how, "by group, 20 of them");
  EXPECT_EQ(source->pairing().remark(), "") << "every folder keeps its pairs";
  EXPECT_EQ(description(split), "48 train, 6 validation, 6 test (by group, 20 of them)");
  ASSERT_EQ(split.remarks.size(), 1U);
  EXPECT_TRUE(split.remarks[0].starts_with("of the 20 groups, 16 are for training"));
}

TEST_F(ListedPictures, OfTooFewGroupsTrainOnAllOfThem) {
  std::erase_if(lines_, [](const std::string& line) { return std::stoi(line.substr(1)) >= 4; });
  const auto source = open("[views]\nkind = 'weak'\nsize = 8\n[pairing]\nkind = 'group'\n");
  const Split& split = source->split();
  EXPECT_EQ(description(split),
            "10 train, 1 validation, 1 test (by sample: whole groups would leave 2 of 4 for "
            "training)");
  EXPECT_FALSE(split.keeps_groups);
  ASSERT_EQ(split.remarks.size(), 1U);
  EXPECT_EQ(split.remarks[0],
            "the 4 groups are too few to hold whole ones out, so samples of all groups are: scores "
            "say little about new groups (data.split_by=group holds out whole ones)");
  std::set<std::string> groups;
  for (const int64_t i : split.train) groups.insert(source->sample_set().columns()[0].text(i));
  EXPECT_EQ(groups.size(), 4U);
}

TEST_F(ListedPictures, OfAListOfPairsKeepEveryPairWhole) {
  std::string pairs = "a,b\n";
  for (size_t i = 0; i < 40; i += 2) pairs += lines_[i] + "," + lines_[i + 1] + "\n";
  put(folder_ / "pairs.csv", pairs);
  const auto source = open("[views]\nkind = 'weak'\nsize = 8\n[pairing]\nkind = 'list'\npath = '" +
                           (folder_ / "pairs.csv").string() + "'\n");
  EXPECT_EQ(source->split().how, "by group, 40 of them");  // 20 pairs, and 20 samples in none
  for (const auto* part : {&source->split().train, &source->split().test}) {
    for (const int64_t i : *part) {
      if (i >= 40) continue;
      EXPECT_NE(std::ranges::find(*part, i % 2 == 0 ? i + 1 : i - 1), part->end()) << i;
    }
  }
}

TEST(LargeGroups, AreClassesIfTheyAreFewAndNoListConnectsThem) {
  const testing::TemporaryDirectory folder;
  testing::put_rows(folder / "a.npy", 200, 2);
  const auto how = [&](int groups, const std::string& pairing) {
    std::string table = "g\n", pairs = "a,b\n";
    for (int i = 0; i < 200; ++i) {
      table += "g" + std::to_string(i % groups) + "\n";
      if (i + groups < 200) pairs += std::to_string(i) + "," + std::to_string(i + groups) + "\n";
    }
    put(folder / "t.csv", table);
    put(folder / "p.csv", pairs);
    return files_source("[samples]\npath = '" + (folder / "a.npy").string() + "'\ntable = '" +
                        (folder / "t.csv").string() + "'\n[pairing]\n" + pairing)
        ->split()
        .how;
  };
  const std::string group = "kind = 'group'\nby = 'g'\n";
  EXPECT_EQ(how(10, group),
            "by sample: the 10 groups are few and large, so they are rather classes");
  EXPECT_EQ(how(11, group), "by group, 11 of them") << "18 samples each, on average";
  EXPECT_EQ(how(10, "kind = 'list'\npath = '" + (folder / "p.csv").string() + "'\n"),
            "by group, 10 of them");
}

TEST_F(ListedPictures, OfManyGroupsNeedNoRemarkUnlessOtherUnitsDivideThem) {
  std::string table = "path,who\n";  // the last ten pictures are of people who are known already
  for (size_t i = 0; i < lines_.size(); ++i) {
    table += lines_[i] + ",p" + std::to_string(i % 50) + "\n";
  }
  put(folder_ / "t.csv", table);
  const auto remarks = [&](const std::string& by) {
    return open("table = '" + (folder_ / "t.csv").string() +
                "'\n[views]\nkind = 'weak'\nsize = 8\n[pairing]\nkind = 'group'\nby = 'who'\n"
                "alone = 'self'\n[data]\nvalidation = 0.2\ntest = 0.2\nsplit_by = '" +
                by + "'\n")
        ->split()
        .remarks;
  };
  EXPECT_THAT(remarks("group"), ::testing::IsEmpty());
  EXPECT_THAT(remarks("sample"), ::testing::IsEmpty());
  EXPECT_THAT(remarks("folder"),
              ::testing::Contains(::testing::HasSubstr(
                  " of the 50 groups of the pairing are in more than one part (split by folder, 20 "
                  "groups)")));
}

TEST_F(ListedPictures, OfLargeGroupsAreHeldOutAsOftenAsThoseOfSmallOnes) {
  // Two sizes of groups: half of the folders lose all but one of their pictures.
  std::erase_if(lines_, [](const std::string& line) {
    const bool small = std::stoi(line.substr(1)) % 2 == 0;
    return small && !line.ends_with("/0.png");
  });
  int large = 0, held_out = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const auto parts = split("split_by = 'folder'\nsplit_seed = " + std::to_string(seed) + "\n");
    std::set<int> folders;
    for (const auto& name : parts[0]) folders.insert(std::stoi(name.substr(1)));
    for (const auto& name : parts[1]) folders.insert(std::stoi(name.substr(1)));
    held_out += static_cast<int>(folders.size());
    for (const int folder : folders) large += folder % 2;
  }
  EXPECT_GT(large, held_out * 3 / 10);
  EXPECT_LT(large, held_out * 7 / 10);
}

}  // namespace
}  // namespace adassl::data
