#include "adassl/report/futures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"

namespace adassl::report {
namespace {

using ::testing::HasSubstr;

// What happens lies in the whole of these frames, room around it included: nothing is cut away.
constexpr int64_t kSide = 4, kFrames = 2, kZoom = 216 / kSide, kPanel = kZoom * kSide + 6;

/// A clip with one bright pixel, in its last frame.
void light(Array& clips, int64_t clip, int64_t pixel) {
  clips.values[static_cast<size_t>((clip * kFrames + kFrames - 1) * kSide * kSide + pixel)] = 1;
}

/// The past lights pixel 0. Of its three futures two light pixel 5, one lights pixel 10. One column
/// shows all three, the other the third alone.
FutureFigure figure() {
  FutureFigure out;
  out.futures.x = make_zeros({1, 1, kFrames, kSide, kSide});
  out.futures.x_plus = make_zeros({3, 1, kFrames, kSide, kSide});
  light(out.futures.x, 0, 0);
  light(out.futures.x_plus, 0, 5);
  light(out.futures.x_plus, 1, 5);
  light(out.futures.x_plus, 2, 10);
  out.columns = {{"the truth", "3 <all>", {{0, 1, 2}}}, {"model", "", {{2, 2}}}};
  return out;
}

/// Red, green and blue of a pixel of the clip, in a column of the picture.
std::vector<int> colour(const Image& image, int64_t column, int64_t pixel) {
  const int64_t x = column * kPanel + kZoom * (pixel % kSide);
  const int64_t y = kZoom * (pixel / kSide);
  const auto at = static_cast<size_t>((y * image.width + x) * 3);
  return {image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]};
}

TEST(FuturesPicture, ShowsThePastGreyAndFuturesBrighterWhereMoreAgree) {
  const Image image = still(figure());
  EXPECT_EQ(image.width, 3 * kPanel - 6);
  EXPECT_EQ(image.height, kPanel - 6);
  const auto dark = colour(image, 0, 15);
  EXPECT_GT(colour(image, 0, 0)[2], 200);  // the past, in every column
  EXPECT_GT(colour(image, 2, 0)[2], 200);
  EXPECT_EQ(colour(image, 0, 5), dark);  // the first shows nothing else
  const auto agreed = colour(image, 1, 5);
  const auto alone = colour(image, 1, 10);
  EXPECT_GT(agreed[0], alone[0]);
  EXPECT_GT(alone[0], dark[0] + 50);
  EXPECT_GT(agreed[0], 2 * agreed[2]);      // orange
  EXPECT_EQ(colour(image, 2, 5), dark);     // the model never imagined this one
  EXPECT_EQ(colour(image, 2, 10)[0], 255);  // and always that one
}

TEST(FuturesPicture, MovesThroughThePastIntoTheFuture) {
  const auto frames = moving(figure());
  ASSERT_GE(frames.size(), static_cast<size_t>(2 * kFrames));
  const auto dark = colour(frames[0], 0, 15);
  EXPECT_EQ(colour(frames[0], 1, 0), dark);         // not there yet
  EXPECT_GT(colour(frames[1], 1, 0)[2], 200);       // there
  EXPECT_EQ(colour(frames[1], 1, 10), dark);        // the future has not come
  EXPECT_GT(colour(frames[3], 1, 10)[0], dark[0]);  // now it has,
  EXPECT_LT(colour(frames[3], 1, 0)[2], 100);       // and the past has faded
  EXPECT_GT(colour(frames[3], 0, 0)[2], 200);       // but for the first column
}

TEST(FuturesPicture, CutsAwayWhereNothingEverHappens) {
  FutureFigure large = figure();
  constexpr int64_t kWide = 40;
  large.futures.x = make_zeros({1, 1, kFrames, kWide, kWide});
  large.futures.x_plus = make_zeros({3, 1, kFrames, kWide, kWide});
  large.futures.x.values[20 * kWide + 20] = 1;
  const Image image = still(large);
  EXPECT_EQ(image.width, 3 * (216 / 5 * 5 + 6) - 6);  // one pixel, and two around it
}

TEST(FuturesPicture, NamesItsColumnsAndHoldsItsPixels) {
  const FutureFiles files = futures_files(figure(), "A & B");
  const std::string& svg = files.picture;
  EXPECT_THAT(svg, HasSubstr(">the truth</text>"));
  EXPECT_THAT(svg, HasSubstr("3 &lt;all&gt;"));
  EXPECT_THAT(svg, HasSubstr("base64,iVBORw0KGgo"));  // how every PNG begins
  EXPECT_THAT(files.page, HasSubstr("<h1>A &amp; B</h1>"));
}

TEST(FuturesPicture, RefusesWhatCannotBeSeen) {
  FutureFigure vectors = figure();
  vectors.futures.x = make_zeros({1, 10});
  EXPECT_THROW(still(vectors), Error);
  FutureFigure five = figure();
  five.futures.x = make_zeros({1, 5, kFrames, kSide, kSide});
  EXPECT_THROW(moving(five), Error);
}

}  // namespace
}  // namespace adassl::report
