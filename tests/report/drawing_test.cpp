#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/report/axes.h"
#include "adassl/report/bars.h"
#include "adassl/report/contour.h"
#include "adassl/report/html.h"
#include "adassl/report/line_chart.h"

namespace adassl::report {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// The function's values on a square grid around its middle.
template <class Function>
Grid sampled(int64_t size, Function function) {
  Grid grid{size, size, {}};
  const double middle = static_cast<double>(size - 1) / 2;
  for (int64_t r = 0; r < size; ++r) {
    for (int64_t c = 0; c < size; ++c) {
      grid.values.push_back(
          function(static_cast<double>(c) - middle, static_cast<double>(r) - middle));
    }
  }
  return grid;
}

double area(const std::vector<Loop>& loops) {
  return std::accumulate(loops.begin(), loops.end(), 0.0,
                         [](double sum, const Loop& loop) { return sum + signed_area(loop); });
}

TEST(Contour, OfAConeIsADisc) {
  const Grid cone =
      sampled(61, [](double x, double y) { return std::max(0.0, 30 - std::hypot(x, y)); });
  const auto loops = contour(cone, 10);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_NEAR(area(loops), std::numbers::pi * 400, 2);
  for (const Point& point : loops[0]) EXPECT_NEAR(std::hypot(point.x - 30, point.y - 30), 20, 0.05);
}

TEST(Contour, OfARingHasAHole) {
  const Grid ring = sampled(
      81, [](double x, double y) { return std::max(0.0, 10 - std::abs(std::hypot(x, y) - 20)); });
  const auto loops = contour(ring, 5);
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_LT(signed_area(loops[0]) * signed_area(loops[1]), 0);
  EXPECT_NEAR(area(loops), std::numbers::pi * (25 * 25 - 15 * 15), 4);
}

TEST(Contour, ClosesAtTheBorder) {
  const Grid full{3, 2, std::vector<double>(6, 1.0)};
  const auto loops = contour(full, 0.5);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_NEAR(area(loops), 3 * 2 - 4 * 0.125, 1e-12);  // half a cell around, corners cut
}

TEST(Contour, DecidesASaddleByItsCentre) {
  const Grid low{2, 2, {1, 0, 0, 1}};
  EXPECT_EQ(contour(low, 0.6).size(), 2U) << "centre 0.5 lies below: two islands";
  EXPECT_EQ(contour(low, 0.4).size(), 1U) << "centre 0.5 lies above: one bridge";
}

TEST(Contour, OfNothingIsNothingAndNeedsAPositiveLevel) {
  const Grid empty{4, 4, std::vector<double>(16, 0.0)};
  EXPECT_TRUE(contour(empty, 1).empty());
  EXPECT_THROW(contour(empty, 0), Error);
}

TEST(Contour, OfAShareHoldsThatShare) {
  const double sigma = 8;
  const Grid bell = sampled(
      101, [&](double x, double y) { return std::exp(-(x * x + y * y) / (2 * sigma * sigma)); });
  // For a two-dimensional Gaussian the region of share p is a disc with r^2 = -2 sigma^2 ln(1 - p).
  for (const double share : {0.1, 0.5, 0.9}) {
    const double expected = -2 * std::numbers::pi * sigma * sigma * std::log(1 - share);
    EXPECT_NEAR(area(contour(bell, level_of_share(bell, share))), expected, 0.03 * expected + 8);
  }
  EXPECT_EQ(level_of_share({2, 2, {0, 0, 0, 0}}, 0.5), 0);
}

TEST(Contour, SmoothingKeepsTheTotalAndSpreadsAPeak) {
  const Grid peak = sampled(21, [](double x, double y) { return x == 0 && y == 0 ? 100.0 : 0.0; });
  const Grid out = smoothed(peak, 1.5);
  EXPECT_NEAR(std::accumulate(out.values.begin(), out.values.end(), 0.0), 100, 1e-9);
  EXPECT_NEAR(out.at(10, 10), 100 / (2 * std::numbers::pi * 2.25), 0.1);
  EXPECT_DOUBLE_EQ(out.at(12, 10), out.at(10, 8));
}

TEST(Axes, HaveNiceTicks) {
  EXPECT_THAT(nice_ticks({0, 1}, 5), ElementsAre(0, 0.2, 0.4, DoubleNear(0.6, 1e-12), 0.8, 1));
  EXPECT_THAT(nice_ticks({-4, 4}, 4), ElementsAre(-4, -2, 0, 2, 4));
  EXPECT_THAT(nice_ticks({130, 2990}, 4), ElementsAre(1000, 2000));
  EXPECT_THAT(tick_texts({0, 0.5, 1}), ElementsAre("0.0", "0.5", "1.0"));
  EXPECT_THAT(tick_texts({0, 50000, 100000}), ElementsAre("0", "50k", "100k"));
  EXPECT_THAT(tick_texts({1000, 1500}), ElementsAre("1.0k", "1.5k"));
  EXPECT_THAT(tick_texts({0}), ElementsAre("0"));
}

TEST(Axes, TakeNumbersThatDifferInTheirLastDigitForOne) {
  const double next = std::nextafter(0.1, 1);
  const Axis axis = nice_axis({0.1, next}, 3);
  EXPECT_LT(axis.range.low, 0.1);
  EXPECT_GT(axis.range.high, next);
  EXPECT_LT(axis.ticks.size(), 10U);
  EXPECT_LT(nice_ticks({-next, -0.1}, 3).size(), 10U);
}

TEST(Axes, WidenToTheirTicks) {
  const Axis axis = nice_axis({0.13, 0.97}, 3);
  EXPECT_DOUBLE_EQ(axis.range.low, 0);
  EXPECT_DOUBLE_EQ(axis.range.high, 1);
  EXPECT_EQ(axis.ticks.front(), axis.range.low);
  EXPECT_EQ(axis.ticks.back(), axis.range.high);
}

TEST(Axes, StandNoLengthAndNoNumbers) {
  EXPECT_LT(range_of({3, 3}).low, 3);
  EXPECT_GT(range_of({3, 3}).high, 3);
  EXPECT_EQ(range_of({NAN, INFINITY}).high, 1);
  EXPECT_FALSE(nice_ticks({2, 2}, 4).empty());
}

TEST(Axes, StandTheLargestAndTheSmallestNumbers) {
  constexpr double kMax = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  for (const double size : {kMax, 1e300, 1e-300, 1e-307, 3 * kLeast, kLeast}) {
    for (const Interval range : {Interval{-size, size}, Interval{0, size}, Interval{size, size}}) {
      const Interval shown = range_of({range.low, range.high});
      EXPECT_TRUE(std::isfinite(shown.high - shown.low) && shown.high > shown.low) << size;
      for (const auto& ticks : {nice_ticks(range, 4), nice_axis(range, 4).ticks}) {
        EXPECT_LT(ticks.size(), 20U) << size;
        EXPECT_EQ(tick_texts(ticks).size(), ticks.size());
      }
    }
  }
}

TEST(Axes, CutOffAFewExtremes) {
  std::vector<double> values(200, 0.5);
  for (size_t i = 0; i < values.size(); ++i) values[i] += 0.001 * static_cast<double>(i);
  EXPECT_FALSE(robust_range_of(values).cut);
  values[0] = -1e6;
  const RobustRange out = robust_range_of(values);
  EXPECT_TRUE(out.cut);
  EXPECT_GT(out.range.low, 0);
}

TEST(Labels, AreSpreadApartInOrder) {
  EXPECT_THAT(spread_apart({10, 50}, 15, {0, 100}), ElementsAre(10, 50));
  EXPECT_THAT(spread_apart({50, 50}, 10, {0, 100}), ElementsAre(45, 55));
  EXPECT_THAT(spread_apart({99, 97}, 10, {0, 100}), ElementsAre(100, 90));
  EXPECT_THAT(spread_apart({5, 5, 5}, 50, {0, 60}), ElementsAre(0, 30, 60)) << "too little room";
  EXPECT_TRUE(spread_apart({}, 10, {0, 1}).empty());
}

TEST(LineChart, MeanNeedsAllSeedsAndBreaksWithThem) {
  const Series series{"a", 0, {{{1, 2}, {2, NAN}, {3, 6}, {4, 9}}, {{1, 4}, {2, 5}, {3, 8}}}};
  const auto mean = series.mean();
  ASSERT_EQ(mean.size(), 3U);
  EXPECT_EQ(mean[0].y, 3);
  EXPECT_TRUE(std::isnan(mean[1].y));
  EXPECT_EQ(mean[2].y, 7);
}

TEST(LineChart, LiftsThePenAtNaN) {
  const std::string svg =
      line_chart({"id", "t", {{"a", 0, {{{1, 1}, {2, 2}, {3, NAN}, {4, 4}, {5, 5}}}}}});
  const size_t path = svg.find("data-label=\"a\"");
  ASSERT_NE(path, std::string::npos);
  const size_t from = svg.rfind(" d=\"", path);
  const std::string d = svg.substr(from, path - from);
  EXPECT_EQ(std::count(d.begin(), d.end(), 'M'), 2);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(LineChart, OfNothingIsLeftOut) {
  EXPECT_EQ(line_chart({"id", "t", {}}), "");
  EXPECT_EQ(line_chart({"id", "t", {{"a", 0, {{{1, NAN}}}}}}), "");
}

TEST(Bars, AverageSeedsOfDifferentLength) {
  const std::string svg = bars({"KL", 0, {{0.5, 0.25}, {1.0}}, 1});
  EXPECT_THAT(svg, HasSubstr("<title>1: 0.750 ±0.354</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>2: 0.250</title>"));
  EXPECT_THAT(bars({"KL", 0, {{NAN}}, 1}), HasSubstr("n/a"));
  EXPECT_EQ(bars({"KL", 0, {}, 1}), "");
}

TEST(Html, IsEscaped) {
  EXPECT_EQ(escaped("<a href=\"x\">'&\x01</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&lt;/a&gt;");
  EXPECT_EQ(coordinate(1.0), "1");
  EXPECT_EQ(coordinate(-0.04), "0");
  EXPECT_EQ(coordinate(NAN), "0");
  EXPECT_EQ(typeset("-1.5"), "−1.5");
}

}  // namespace
}  // namespace adassl::report
