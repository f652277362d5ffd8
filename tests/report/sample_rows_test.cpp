#include "adassl/report/sample_rows.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace adassl::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Array numbered(std::vector<int64_t> shape, float scale) {
  Array out = make_array(std::move(shape));
  std::iota(out.values.begin(), out.values.end(), 0.0F);
  for (float& value : out.values) value *= scale;
  return out;
}

TEST(SampleRows, ShowPlanesAsPixels) {
  const storage::Image image = picture_of(numbered({2, 3, 1, 2}, 1 / 255.0F), 1);
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 1);
  EXPECT_THAT(image.pixels, ElementsAre(6, 8, 10, 7, 9, 11));
}

TEST(SampleRows, ShowTheFramesOfAClipSideBySide) {
  // One channel, two frames of two rows and one column.
  const storage::Image image = picture_of(numbered({1, 1, 2, 2, 1}, 1 / 255.0F), 0);
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 2);
  EXPECT_THAT(image.pixels, ElementsAre(0, 2, 1, 3));
}

TEST(SampleRows, ClampNumbersThatAreNoPixels) {
  Array pixels = make_array({1, 1, 1, 2});
  pixels.values = {-3, 7};
  EXPECT_THAT(picture_of(pixels, 0).pixels, ElementsAre(0, 255));
}

TEST(SampleRows, ShowOtherObservationsAsCurves) {
  const SampleCell cell = cell_of(numbered({2, 3}, 1), 1, "row 1", "");
  EXPECT_EQ(cell.image.width, 0);
  EXPECT_THAT(cell.line, ElementsAre(3, 4, 5));
  const std::string html = sample_rows({{"", {cell}}});
  EXPECT_THAT(html, HasSubstr("<polyline"));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
}

TEST(SampleRows, DrawACurveForEachChannelOfAWindow) {
  const SampleCell cell = cell_of(numbered({2, 4, 3}, 1), 1, "row 1", "");
  EXPECT_EQ(cell.channels, 3);
  const std::string html = sample_rows({{"", {cell}}});
  for (const char* colour : {"var(--c0)", "var(--c1)", "var(--c2)"}) {
    EXPECT_THAT(html, HasSubstr(colour));
  }
  EXPECT_THAT(html, ::testing::Not(HasSubstr("var(--c3)")));
  // The first channel begins lowest and ends below the others, which follow at the same places.
  EXPECT_THAT(html, HasSubstr("points=\"0,68 48,50.5 96,33.1 144,15.6 \""));
}

TEST(SampleRows, DrawAConstantCurve) {
  SampleCell cell{"flat", ""};
  cell.line = {2, 2, 2};
  EXPECT_THAT(sample_rows({{"", {cell}}}), Not(HasSubstr("nan")));
}

TEST(SampleRows, MarkTheSampleThatWasAskedAbout) {
  SampleCell asked = cell_of(numbered({1, 1, 2, 2}, 0), 0, "a \"b\".png", "0.5");
  asked.marked = true;
  const std::string html = sample_rows({{"Row <1>", {asked}}});
  EXPECT_THAT(html, HasSubstr("<figure class=\"marked\">"));
  EXPECT_THAT(html, HasSubstr("Row &lt;1&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("alt=\"a \"b\"")));
}

}  // namespace
}  // namespace adassl::report
