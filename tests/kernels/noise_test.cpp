#include "adassl/kernels/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "kernels/instruction_sets.h"
#include "support/error_message.h"

namespace adassl::kernels {
namespace {

using random::Stream;

const std::vector<Stream> kStreams = {
    {1, "noise"},
    Stream(42, "noise", 9).named("forward"),
    Stream((1ULL << 63) + 12345, "pairs", (1ULL << 40) + 7).named("a"),
};

/// |found - exact| in units in the last place of a float32 near `exact`.
double error_in_ulp(float found, long double exact) {
  const auto size = static_cast<float>(std::abs(exact));
  const float ulp = std::nextafter(size, std::numeric_limits<float>::infinity()) - size;
  return static_cast<double>(std::abs(found - exact) / ulp);
}

class Noise : public OnEachInstructionSet {};
ADASSL_ON_EACH_INSTRUCTION_SET(Noise);

TEST_P(Noise, UniformsAreExactlyTheSequences) {
  for (const Stream& stream : kStreams) {
    constexpr size_t kRows = 75;
    constexpr size_t kColumns = 131;
    constexpr uint32_t kFirst = ~0U - 40;  // so that samples pass 2^32 and start again from 0
    std::vector<float> found(kRows * kColumns);
    fill_uniform(found, kColumns, stream, kFirst);
    for (size_t i = 0; i < kRows; ++i) {
      random::Sequence draws = stream.at(kFirst + static_cast<uint32_t>(i));
      for (size_t j = 0; j < kColumns; ++j) {
        const float expected = std::min(static_cast<float>(draws.uniform()), 1 - 0x1p-24F);
        ASSERT_EQ(found[i * kColumns + j], expected) << i << " " << j;
      }
    }
  }
}

TEST_P(Noise, NormalsAreTheSequencesToTheLastBitButForOneInMillions) {
  for (const Stream& stream : kStreams) {
    constexpr size_t kRows = 1000;
    constexpr size_t kColumns = 101;
    std::vector<float> found(kRows * kColumns);
    fill_normal(found, kColumns, stream, 7);
    int different = 0;
    for (size_t i = 0; i < kRows; ++i) {
      random::Sequence draws = stream.at(static_cast<uint32_t>(i + 7));
      for (size_t j = 0; j < kColumns; ++j) {
        const double expected = draws.normal();
        const float value = found[i * kColumns + j];
        different += value != static_cast<float>(expected) ? 1 : 0;
        ASSERT_LT(error_in_ulp(value, expected), 0.51) << i << " " << j;
      }
    }
    EXPECT_LE(different, 1);
  }
}

TEST_P(Noise, BoxMullerIsRightAtEveryCorner) {
  std::vector<uint32_t> corners = {0, 1, 2, 0x55555555, 0xB504F333};  // the last: sqrt(1/2)
  for (uint32_t eighth = 0; eighth < 8; ++eighth) {
    for (const uint32_t near : {~0U - 1, ~0U, 0U, 1U}) corners.push_back((eighth << 29) + near);
  }
  std::vector<uint32_t> words;
  for (const uint32_t a : corners) {
    for (const uint32_t b : corners) words.insert(words.end(), {a, b});
  }
  std::vector<float> found(words.size());
  box_muller(words, found);
  for (size_t k = 0; k < words.size(); k += 2) {
    const long double u = (words[k] + 0.5L) * 0x1p-32L;
    const long double angle =
        2 * std::numbers::pi_v<long double> * (words[k + 1] + 0.5L) * 0x1p-32L;
    const long double radius = std::sqrt(-2 * std::log(u));
    EXPECT_LT(error_in_ulp(found[k], radius * std::cos(angle)), 0.5001) << words[k];
    EXPECT_LT(error_in_ulp(found[k + 1], radius * std::sin(angle)), 0.5001) << words[k];
  }
}

TEST_P(Noise, ColumnsAreTheRowsTurned) {
  const Stream stream(3, "columns");
  for (const int64_t rows : {1, 5, 16, 39}) {
    for (const int64_t columns : {1, 2, 3, 4, 7, 70}) {
      const auto size = static_cast<size_t>(rows * columns);
      for (const bool normal : {true, false}) {
        std::vector<float> by_row(size);
        std::vector<float> by_column(size + 1,
                                     -1);  // one extra value, which must not be overwritten
        const auto part = std::span(by_column).first(size);
        (normal ? fill_normal : fill_uniform)(by_row, columns, stream, 100);
        (normal ? fill_normal_columns : fill_uniform_columns)(part, columns, stream, 100);
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t j = 0; j < columns; ++j) {
            ASSERT_EQ(by_row[static_cast<size_t>(i * columns + j)],
                      by_column[static_cast<size_t>(j * rows + i)]);
          }
        }
        EXPECT_EQ(by_column.back(), -1);
      }
    }
  }
}

TEST_P(Noise, AValueDependsOnItsRowAndColumnAlone) {
  const Stream stream(13, "rows");
  constexpr size_t kRows = 67;
  constexpr size_t kColumns = 70;
  std::vector<float> whole(kRows * kColumns);
  fill_normal(whole, kColumns, stream);
  for (const size_t columns : {size_t{1}, size_t{6}, size_t{65}}) {
    for (const size_t first : {size_t{0}, size_t{1}, size_t{6}, size_t{33}}) {
      std::vector<float> part((kRows - first) * columns);
      fill_normal(part, static_cast<int64_t>(columns), stream, static_cast<int64_t>(first));
      for (size_t at = 0; at < part.size(); ++at) {
        ASSERT_EQ(part[at], whole[(first + at / columns) * kColumns + at % columns]);
      }
    }
  }
}

TEST_P(Noise, HasTheSameBitsAsOnTheBaseline) {
  const Stream stream(17, "bits");
  std::vector<float> found(400'000);
  fill_normal(found, 100, stream);
  use_instruction_set("baseline");
  std::vector<float> expected(found.size());
  fill_normal(expected, 100, stream);
  EXPECT_EQ(found, expected);
}

TEST(FillNormal, FollowsTheNormalLaw) {
  constexpr size_t kDraws = 1'000'000;
  std::vector<float> values(kDraws);
  fill_normal(values, 10, {19, "law"});
  std::sort(values.begin(), values.end());
  double distance = 0;  // the Kolmogorov-Smirnov statistic
  double moments[4] = {};
  for (size_t i = 0; i < kDraws; ++i) {
    const double below = std::erfc(-values[i] / std::numbers::sqrt2) / 2;
    const double seen = static_cast<double>(i) / kDraws;
    distance = std::max({distance, std::abs(below - seen), std::abs(below - seen - 1.0 / kDraws)});
    for (int k = 0; k < 4; ++k) moments[k] += std::pow(values[i], k + 1) / kDraws;
  }
  EXPECT_LT(distance * std::sqrt(kDraws), 2.2);  // exceeded once in 8,000 trials
  const double variances[4] = {1, 2, 15, 96};    // of x, x^2, x^3, x^4
  const double expected[4] = {0, 1, 0, 3};
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(moments[k], expected[k], 5 * std::sqrt(variances[k] / kDraws)) << k + 1;
  }
  for (const double limit : {3.0, 4.0, 4.5}) {
    const double wanted = kDraws * std::erfc(limit / std::numbers::sqrt2);
    const auto beyond = std::count_if(values.begin(), values.end(),
                                      [&](float value) { return std::abs(value) > limit; });
    EXPECT_NEAR(static_cast<double>(beyond), wanted, 5 * std::sqrt(wanted)) << limit;
  }
}

TEST(FillNormal, HasUncorrelatedNeighbours) {
  constexpr size_t kRows = 50'000;
  constexpr size_t kColumns = 8;
  std::vector<float> values(kRows * kColumns);
  fill_normal(values, kColumns, {23, "neighbours"});
  const double tolerance = 5 / std::sqrt(static_cast<double>(values.size()));
  for (const size_t apart : {size_t{1}, size_t{2}, size_t{4}, kColumns, 8 * kColumns}) {
    double product = 0;
    for (size_t at = apart; at < values.size(); ++at) product += values[at] * values[at - apart];
    EXPECT_NEAR(product / static_cast<double>(values.size()), 0, tolerance) << apart;
  }
}

TEST(FillUniform, StaysBetweenItsEndsAlsoAsFloat) {
  std::vector<float> values(1'000'000);
  fill_uniform(values, 1000, {14, "floats"});
  EXPECT_GT(*std::min_element(values.begin(), values.end()), 0.0F);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 1.0F);
}

TEST(Fill, RefusesWhatIsNotWholeRows) {
  std::vector<float> values(10);
  EXPECT_EQ(testing::error_of([&] {
              fill_normal(values, 3, {1, "rows"});
            }),
            "[random] expected whole rows of 3 columns, got 10 values");
  EXPECT_THROW(fill_uniform(values, -1, {1, "rows"}), Error);
  EXPECT_THROW(fill_normal_columns(values, 0, {1, "rows"}), Error);
  std::vector<float> none;
  EXPECT_NO_THROW(fill_normal(none, 0, {1, "rows"}));
  EXPECT_NO_THROW(fill_normal(none, 3, {1, "rows"}));
  EXPECT_THROW(box_muller(std::vector<uint32_t>(3), std::span(values).first(3)), Error);
}

}  // namespace
}  // namespace adassl::kernels
