#include "adassl/data/pair_changes.h"

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/small_files.h"

namespace adassl::data {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::put;

constexpr int kRows = 400;

/// Rows in groups of four, which are the pairs' groups, with the columns of a table.
class Changing : public ::testing::Test {
 protected:
  PairChanges look(const std::string& header, const std::function<std::string(int)>& cells,
                   int64_t most = 1000, const std::string& samples = "") const {
    testing::put_rows(folder_ / "a.npy", kRows, 3);
    std::string table = "who," + header + "\n";
    for (int i = 0; i < kRows; ++i) table += fmt::format("p{},{}\n", i / 4, cells(i));
    put(folder_ / "t.csv", table);
    const auto path = [&](const char* name) { return (folder_ / name).string(); };
    return pair_changes(
        *testing::files_source(fmt::format("[data]\nvalidation = 0\ntest = 0\n[samples]\n"
                                           "kind = 'arrays'\npath = '{}'\ntable = '{}'\n{}"
                                           "[pairing]\nkind = 'group'\nby = 'who'\n",
                                           path("a.npy"), path("t.csv"), samples)),
        1, most);
  }
  static const ColumnChange& column(const PairChanges& found, const std::string& name) {
    for (const ColumnChange& one : found.columns) {
      if (one.column.name == name) return one;
    }
    throw std::runtime_error(name);
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(Changing, TellsInHowManyClassesPairsDiffer) {
  // `kept` belongs to the group, `number` tells the four members apart, `half` two and two of them.
  const PairChanges found = look("kept,number,half", [](int i) {
    return fmt::format("k{},n{},h{}", i / 4 % 5, i % 4, i % 4 / 2);
  });
  ASSERT_EQ(found.pairs, kRows);
  EXPECT_EQ(column(found, "kept").pairs, 0);
  EXPECT_NEAR(column(found, "kept").random, 0.8, 0.07);
  EXPECT_EQ(column(found, "number").pairs, 1) << "a partner is another member";
  EXPECT_NEAR(column(found, "number").random, 0.75, 0.07);
  const double half = column(found, "half").pairs;
  EXPECT_NEAR(half, 2.0 / 3, 0.07) << "two of the three other members differ";
  const auto two = static_cast<int64_t>(std::lround(half * kRows));
  // `who` is a class, too, which never differs; every pair differs in `number`.
  EXPECT_THAT(found.counts, ElementsAre(0, kRows - two, two, 0, 0));
}

TEST_F(Changing, MeasuresNumbersInDeviations) {
  const PairChanges found = look("kept,free,missing", [](int i) {
    return fmt::format("{:.3f},{:.3f},{}", 0.37 * (i / 4), std::fmod(i * 0.618034, 1.0),
                       i == 7 ? "" : fmt::format("{:.1f}", 0.1 * i));
  });
  EXPECT_EQ(column(found, "kept").pairs, 0);
  EXPECT_NEAR(column(found, "kept").random, std::sqrt(2), 0.15);
  EXPECT_GT(column(found, "free").pairs, 0.5);
  EXPECT_NEAR(column(found, "free").random, std::sqrt(2), 0.15);
  EXPECT_THROW(column(found, "missing"), std::runtime_error);
}

TEST_F(Changing, LetsAnglesGoRound) {
  // The members of a group lie on both sides of pi, 0.02 apart at most.
  const PairChanges found = look(
      "turn",
      [](int i) {
        const double angle = 3.14159265 + 0.01 * (i % 3 - 1);
        return fmt::format("{:.6f}", std::remainder(angle, 2 * 3.14159265));
      },
      1000, "columns = ['turn:angle']\n");
  const ColumnChange& turn = column(found, "turn");
  EXPECT_EQ(turn.column.kind, Column::Kind::kAngle);
  EXPECT_GT(turn.pairs, 0);
  EXPECT_LT(turn.pairs, 0.02) << "not some 6 radians";
}

TEST_F(Changing, ComparesDifferentPairsEvenIfThereAreTwo) {
  const PairChanges found = look(
      "kept", [](int i) { return fmt::format("k{}", i / 4); }, 2);
  ASSERT_EQ(found.pairs, 2);
  EXPECT_EQ(column(found, "kept").pairs, 0);
  EXPECT_EQ(column(found, "kept").random, 1);
}

TEST_F(Changing, LooksAtNoMorePairsThanItIsTold) {
  const PairChanges found = look(
      "u", [](int i) { return fmt::format("{:.2f}", 0.5 * i); }, 50);
  EXPECT_EQ(found.pairs, 50);
}

}  // namespace
}  // namespace adassl::data
