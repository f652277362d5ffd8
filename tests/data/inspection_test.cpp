#include "adassl/data/inspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/small_files.h"

namespace adassl::data {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::put;
using testing::put_picture;

/// Pictures in folders, which are the groups. All of them are for training.
class Inspected : public ::testing::Test {
 protected:
  void put_group(const std::string& name, int pictures, int first) {
    for (int i = 0; i < pictures; ++i) {
      put_picture(folder_ / name / (std::to_string(i) + ".png"), first + i);
    }
  }
  Inspection look(const std::string& pairing = "kind = 'group'\n") const {
    return inspect(*testing::files_source("[data]\nvalidation = 0\ntest = 0\n[samples]\n"
                                          "kind = 'images'\nindex = 'none'\ntolerate = 1.0\n"
                                          "path = '" +
                                          folder_.path().string() +
                                          "'\n[views]\n"
                                          "kind = 'weak'\nsize = 8\n[pairing]\n" +
                                          pairing),
                   1);
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(Inspected, TellsHowManyPairsTheGroupsHave) {
  put_group("a", 2, 0);
  put_group("b", 5, 2);
  put_group("c", 9, 7);
  const Inspection found = look();
  EXPECT_EQ(found.groups, 3);
  EXPECT_EQ(found.pairs, 16) << "each sample once as x";
  const auto numbers = [](const Spread& s) {
    return std::vector<int64_t>{s.least, s.median, s.most};
  };
  EXPECT_THAT(numbers(found.group_sizes), ElementsAre(2, 5, 9));
  EXPECT_THAT(numbers(found.group_pairs), ElementsAre(1, 10, 36));
  EXPECT_THAT(numbers(look("kind = 'self'\n").group_pairs), ElementsAre(0, 0, 0));
}

TEST_F(Inspected, WarnsOfPairsOfIdenticalSamples) {
  for (int f = 0; f < 4; ++f) {
    for (int i = 0; i < 4; ++i) {
      put_picture(folder_ / ("f" + std::to_string(f)) / (std::to_string(i) + ".png"), 3 * f);
    }
  }
  const Inspection found = look();
  EXPECT_DOUBLE_EQ(found.identical, 1);
  EXPECT_EQ(found.duplicates, 12);
  EXPECT_THAT(found.warnings,
              Contains(HasSubstr("100.0 % of the pairs are two identical samples")));
  // Two views of one sample are meant to be of identical samples.
  EXPECT_THAT(look("kind = 'self'\n").warnings, Not(Contains(HasSubstr("identical"))));
}

TEST_F(Inspected, ComparesPairsWithSamplesOfOtherGroups) {
  // Two groups, each of equal pictures: a sample of the other group is always at one distance, one
  // of the own group would be at distance 0.
  for (int i = 0; i < 12; ++i) {
    put_picture(folder_ / "a" / (std::to_string(i) + ".png"), 0);
    put_picture(folder_ / "b" / (std::to_string(i) + ".png"), 27);
  }
  const Inspection found = look();
  EXPECT_EQ(found.pair_distance, 0);
  EXPECT_NEAR(found.random_distance, 189, 2);  // 27 x 7 in every pixel, but for rounding
}

TEST_F(Inspected, WarnsOfFewGroupsWhereTheyAreHeldOut) {
  for (int f = 0; f < 3; ++f) put_group("g" + std::to_string(f), 4, 4 * f);
  const auto warnings = [&](const std::string& shares) {
    return inspect(*testing::files_source("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                                          folder_.path().string() +
                                          "'\n[views]\nkind = 'weak'\nsize = 8\n[pairing]\nkind = "
                                          "'group'\n[data]\nsplit_by = 'group'\n" +
                                          shares),
                   1)
        .warnings;
  };
  EXPECT_THAT(warnings(""), Contains(HasSubstr("of the 3 groups, 1 are for training, 1 for "
                                               "validation and 1 for the test")));
}

TEST_F(Inspected, WarnsOfFilesThatCannotBeUsed) {
  put_group("a", 20, 0);
  put_group("b", 20, 20);
  EXPECT_THAT(look().unusable, IsEmpty());
  EXPECT_THAT(look().warnings, Not(Contains(HasSubstr("unusable"))));
  put(folder_ / "a" / "3.png", "");
  put(folder_ / "a" / "4.png", "no picture");
  put(folder_ / "b" / "5.png", "");
  const Inspection found = look();
  EXPECT_EQ(found.unusable.size(), 3U);
  EXPECT_THAT(found.warnings,
              Contains("3 of 40 samples are unusable; training needs samples.tolerate=0.08"));
}

}  // namespace
}  // namespace adassl::data
