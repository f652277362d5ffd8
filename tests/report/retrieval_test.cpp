#include "adassl/report/retrieval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/report/digits.h"

namespace adassl::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What happens lies in the whole of these frames, room around it included: nothing is cut away.
constexpr int64_t kSide = 4, kFrames = 2, kZoom = 216 / kSide, kPanel = kZoom * kSide;
constexpr int64_t kGap = 6, kWideGap = 36, kText = 64;

using Colour = std::vector<int>;
const Colour kGreen = {47, 199, 130};

/// Clips that light one pixel each, in their last frame.
Array clips(const std::vector<int64_t>& pixels) {
  Array out = make_zeros({static_cast<int64_t>(pixels.size()), 1, kFrames, kSide, kSide});
  for (size_t i = 0; i < pixels.size(); ++i) {
    out.values[((i * kFrames + kFrames - 1) * kSide * kSide) + static_cast<size_t>(pixels[i])] = 1;
  }
  return out;
}

/// Two queries that begin at pixel 0 and go on to 5 and to 10. The first model finds the first
/// truth in second place, the other one finds the second truth at once.
RetrievalFigure figure() {
  RetrievalFigure out;
  out.past = clips({0, 0});
  out.truth = clips({5, 10});
  out.changes = {"(+1.0, -1.0)", "(+0.0, +2.0)"};
  out.pool = 128;
  out.columns = {{"byol", "MRR 0.2", clips({6, 5, 6, 5}), {8, 3, 8, 3}, {9, 70}, {11, 70}},
                 {"a < b", "", clips({9, 6, 10, 6}), {1, 8, 2, 8}, {42, 1}, {42, 2}}};
  return out;
}

/// The pixel of the panel's clip, in the middle of its square.
Colour colour(const RetrievalPanel& panel, int64_t pixel) {
  const int64_t x = kZoom * (pixel % kSide) + kZoom / 2;
  const int64_t y = kZoom * (pixel / kSide) + kZoom / 2;
  const auto at = static_cast<size_t>((y * panel.image.width + x) * 3);
  return {panel.image.pixels[at], panel.image.pixels[at + 1], panel.image.pixels[at + 2]};
}

Colour colour_at(const Image& image, int64_t x, int64_t y) {
  const auto at = static_cast<size_t>((y * image.width + x) * 3);
  return {image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]};
}

bool is_framed(const RetrievalPanel& panel) {
  return colour_at(panel.image, 0, kPanel / 2) == kGreen &&
         colour_at(panel.image, kPanel - 1, kPanel - 1) == kGreen;
}

TEST(RetrievalSheet, HasARowForEachQueryAndAGroupForEachModel) {
  const RetrievalSheet sheet = retrieval_sheet(figure());
  const int64_t group = 2 * kPanel + kGap;
  EXPECT_EQ(sheet.starts,
            (std::vector<int64_t>{0, kPanel + kGap, group + kWideGap, 2 * (group + kWideGap)}));
  EXPECT_EQ(sheet.width, 3 * group + 2 * kWideGap);
  EXPECT_EQ(sheet.tops, (std::vector<int64_t>{0, kPanel + kText}));
  EXPECT_EQ(sheet.height, 2 * (kPanel + kText));
  EXPECT_EQ(sheet.panels.size(), 2U * 6U);
}

TEST(RetrievalSheet, ShowsThePastInGreyAndWhatFollowsInOrange) {
  const auto panels = retrieval_sheet(figure()).panels;
  const Colour dark = colour(panels[0], 15);
  EXPECT_GT(colour(panels[0], 0)[2], 200);      // the past, bright where it is alone
  EXPECT_EQ(colour(panels[0], 5), dark);        // and nothing else
  EXPECT_GT(colour(panels[1], 0)[2], dark[2]);  // fainter beside its future
  EXPECT_LT(colour(panels[1], 0)[2], 150);
  EXPECT_EQ(colour(panels[1], 5)[0], 255);  // the truth
  EXPECT_GT(colour(panels[1], 5)[0], 2 * colour(panels[1], 5)[2]);
  EXPECT_EQ(colour(panels[2], 6)[0], 255);  // what the first model finds first
  EXPECT_EQ(colour(panels[2], 5), dark);
  EXPECT_EQ(colour(panels[10], 10)[0], 255);  // the second model, for the second query
}

TEST(RetrievalSheet, FramesExactlyTheClipsThatAreTheTruth) {
  const auto panels = retrieval_sheet(figure()).panels;
  std::vector<size_t> framed;
  for (size_t i = 0; i < panels.size(); ++i) {
    if (is_framed(panels[i])) framed.push_back(i);
  }
  // Row by row: past, truth, two clips of each model. Pixel 5 is the truth of the first row only.
  EXPECT_EQ(framed, (std::vector<size_t>{1, 3, 7, 10}));
  EXPECT_THAT(panels[3].about, HasSubstr("byol, nearest clip 2. Copies in the pool of 128: 3."));
  EXPECT_THAT(panels[3].about, HasSubstr("It is the true future."));
  EXPECT_THAT(panels[4].about, HasSubstr("Copies in the pool of 128: 1."));
  EXPECT_THAT(panels[4].about, Not(HasSubstr("true")));
}

TEST(RetrievalImage, HoldsThePanelsAndTheRanks) {
  const RetrievalSheet sheet = retrieval_sheet(figure());
  const Image image = retrieval_image(figure(), sheet);
  EXPECT_EQ(image.width, sheet.width);
  EXPECT_EQ(image.height, sheet.height);
  EXPECT_EQ(colour_at(image, kPanel + kGap, 0), kGreen);  // the truth's frame
  const Colour white = {255, 255, 255};
  EXPECT_EQ(colour_at(image, kPanel + 1, 0), white);
  Image expected = image;
  RetrievalFigure other = figure();
  other.columns[1].ranks[0] = 43;
  EXPECT_NE(retrieval_image(other, sheet).pixels, image.pixels);
  draw_number(expected, sheet.starts[3], kPanel + 12, 6, 42);  // it is there already
  EXPECT_EQ(expected.pixels, image.pixels);
}

TEST(RetrievalFiles, NameModelsAndRanksWithAndWithoutTies) {
  const RetrievalFiles files = retrieval_files(figure(), "A & B");
  EXPECT_EQ(files.image.substr(1, 3), "PNG");
  const std::string& svg = files.picture;
  for (const char* text :
       {">source</text>", ">true future</text>", ">byol</text>", ">a &lt; b</text>",
        ">rank 9 <tspan", ">to 11 with ties<", ">rank 70<title>", "of 128 clips", "(+1.0, −1.0)",
        "base64,iVBORw0KGgo"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(svg, Not(HasSubstr("to 70 with ties")));
  EXPECT_THAT(files.page, HasSubstr("<h1>A &amp; B</h1>"));
  EXPECT_THAT(files.page, HasSubstr("holds 128 futures"));
}

TEST(RetrievalFiles, RefuseShapesThatDoNotFit) {
  EXPECT_THROW(retrieval_files({}, ""), Error);
  RetrievalFigure vectors = figure();
  vectors.columns.clear();
  vectors.past = vectors.truth = make_zeros({2, 10});
  EXPECT_THROW(retrieval_files(vectors, ""), Error);
  RetrievalFigure fewer_truths = figure();
  fewer_truths.truth = clips({5});
  EXPECT_THROW(retrieval_files(fewer_truths, ""), Error);
  RetrievalFigure fewer_clips = figure();
  fewer_clips.columns[1].found = clips({9, 6});
  EXPECT_THROW(retrieval_files(fewer_clips, ""), Error);
  RetrievalFigure nothing_found = figure();
  nothing_found.columns[0].found = clips({});
  EXPECT_THROW(retrieval_files(nothing_found, ""), Error);
  RetrievalFigure fewer_ranks = figure();
  fewer_ranks.columns[0].ranks.pop_back();
  EXPECT_THROW(retrieval_files(fewer_ranks, ""), Error);
  RetrievalFigure fewer_copies = figure();
  fewer_copies.columns[0].copies.pop_back();
  EXPECT_THROW(retrieval_files(fewer_copies, ""), Error);
}

TEST(DrawNumber, WritesDigitsSideBySideAndStaysInside) {
  Image image = storage::make_image(8, 5, 1);
  for (uint8_t& pixel : image.pixels) pixel = 255;
  draw_number(image, 0, 0, 1, 17);
  std::string drawn;
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    drawn += image.pixels[i] < 255 ? '#' : '.';
    if (i % 8 == 7) drawn += '\n';
  }
  EXPECT_EQ(drawn,
            ".#..###.\n"
            "##....#.\n"
            ".#....#.\n"
            ".#....#.\n"
            "###...#.\n");
  draw_number(image, 6, 3, 2, 88);  // mostly outside
}

}  // namespace
}  // namespace adassl::report
