#include "adassl/study/shown_neighbours.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace adassl::study {
namespace {

/// The numbers from `first` on.
std::vector<int64_t> numbers(int64_t first, size_t count) {
  std::vector<int64_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

void expect_asked_among(const ShownSamples& shown, size_t among) {
  EXPECT_EQ(shown.asked.size(), 6U);
  EXPECT_EQ(shown.among.size(), among);
  EXPECT_TRUE(std::ranges::is_sorted(shown.among));
  for (const int64_t sample : shown.asked) {
    EXPECT_TRUE(std::ranges::binary_search(shown.among, sample)) << sample;
  }
}

TEST(ShownSamples, AreHeldOutIfAnyAre) {
  data::Split split;
  split.train = numbers(100, 5000);
  split.validation = {40, 7, 90, 12, 63, 28, 51, 33, 84};
  const ShownSamples shown = choose_shown(split, 6);
  expect_asked_among(shown, 2000);
  for (const int64_t sample : shown.asked) EXPECT_LT(sample, 100);
}

TEST(ShownSamples, OfManyTrainingSamplesAreAmongTheCandidates) {
  for (const size_t count : {50, 2000, 2001, 4999, 250'000}) {
    data::Split split;
    split.train = numbers(0, count);
    expect_asked_among(choose_shown(split, 6), std::min<size_t>(count, 2000));
  }
}

}  // namespace
}  // namespace adassl::study
