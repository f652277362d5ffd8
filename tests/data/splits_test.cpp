#include "adassl/data/splits.h"

#include <algorithm>
#include <set>

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
