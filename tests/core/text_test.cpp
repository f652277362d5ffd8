#include "adassl/core/text.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/hash.h"
#include "adassl/core/text_width.h"

namespace adassl {
namespace {

using ::testing::ElementsAre;

TEST(Text, NearestIsTheSmallestEditDistance) {
  EXPECT_EQ(text::nearest("stpes", {"seed", "steps", "rate"}), "steps");
  EXPECT_EQ(text::nearest("steps", {"step", "steps"}), "steps");
}

TEST(Text, NearestIsNothingWhenAllAreFar) {
  EXPECT_EQ(text::nearest("beta", {"warmup_steps", "dimension"}), "");
  EXPECT_EQ(text::nearest("anything", {}), "");
  EXPECT_EQ(text::nearest(std::string(4 << 20, 'a'), {"a", "aaaa"}), "");
  EXPECT_EQ(text::nearest("a", {std::string(4 << 20, 'a'), "ab"}), "ab");
  EXPECT_EQ(text::did_you_mean("beta", {"warmup_steps"}), "");
}

TEST(Text, DidYouMeanReadsAsTheEndOfAMessage) {
  EXPECT_EQ(text::did_you_mean("spars", {"none", "sparse"}), "; did you mean 'sparse'?");
}

TEST(Text, ListJoinsWithCommas) {
  EXPECT_EQ(text::list({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(text::list({}), "");
}

TEST(Text, BytesChoosesTheUnit) {
  EXPECT_EQ(text::bytes(0), "0 B");
  EXPECT_EQ(text::bytes(1023), "1023 B");
  EXPECT_EQ(text::bytes(1024), "1.0 KiB");
  EXPECT_EQ(text::bytes(1.5 * 1024 * 1024 * 1024), "1.5 GiB");
  EXPECT_EQ(text::bytes(0x1p70), "1024.0 EiB");
}

TEST(Text, DurationLooksLikeAClock) {
  EXPECT_EQ(text::duration(7), "0:07");
  EXPECT_EQ(text::duration(123), "2:03");
  EXPECT_EQ(text::duration(3723), "1:02:03");
  EXPECT_EQ(text::duration(59.7), "1:00");
}

TEST(Text, DurationOfWhatIsNoTimeIsAQuestionMark) {
  EXPECT_EQ(text::duration(-1), "?");
  EXPECT_EQ(text::duration(std::nan("")), "?");
  EXPECT_EQ(text::duration(1e300), "?");
  EXPECT_EQ(text::duration(std::numeric_limits<double>::infinity()), "?");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_THAT(text::split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(text::split("", ','), ElementsAre(""));
}

TEST(Text, TrimTakesBlanksOffBothEnds) {
  EXPECT_EQ(text::trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(text::trim(" \n "), "");
  EXPECT_EQ(text::trim(""), "");
}

TEST(Text, LowerCaseChangesLettersOfAsciiOnly) {
  EXPECT_EQ(text::lower_case(".NpY 1Zä"), ".npy 1zä");
}

TEST(Text, ShortestReadsBackAsTheSameDouble) {
  EXPECT_EQ(text::shortest(0.1), "0.1");
  EXPECT_EQ(text::shortest(3.0), "3");
  for (const double value : {1.0 / 3, 1e-300, -6.02214076e23, 0x1.fffffffffffffp1023, 5e-324}) {
    EXPECT_EQ(std::strtod(text::shortest(value).c_str(), nullptr), value);
  }
}

TEST(Text, HexHasSixteenDigits) {
  EXPECT_EQ(text::hex(0), "0000000000000000");
  EXPECT_EQ(text::hex(0xdeadbeefULL), "00000000deadbeef");
}

TEST(Hash, MatchesThePublishedFnv1aVectors) {
  EXPECT_EQ(hash(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(hash("foobar"), 0x85944171f73967e8ULL);
}

TEST(Hash, OfPiecesIsTheHashOfTheWhole) {
  EXPECT_EQ(Hash().add("foo").add("bar").value(), hash("foobar"));
  EXPECT_NE(hash("foobar"), hash("foobaz"));
}

TEST(TextWidth, IsThatOfATerminal) {
  EXPECT_EQ(text::display_width("±σ…"), 3);
  EXPECT_EQ(text::display_width("z\u0303"), 1);
  EXPECT_EQ(text::display_width("模型"), 4);
  EXPECT_EQ(text::padded("±", 3), "±  ");
  EXPECT_EQ(text::shortened("abcdef", 4), "abc…");
  EXPECT_EQ(text::shortened("±±±±±±", 4), "±±±…");
  EXPECT_EQ(text::shortened("abcd", 4), "abcd");
}

}  // namespace
}  // namespace adassl
