#include "adassl/data/pairing/pairing.h"

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/data/kd_tree.h"
#include "adassl/data/pairing/neighbour.h"
#include "adassl/data/pairing/time.h"
#include "support/error_message.h"
#include "support/small_files.h"

namespace adassl::data {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::put;
using testing::put_rows;
using testing::samples_from;
using testing::TemporaryDirectory;

/// 12 rows with the columns g (a, a, b, b, b, b, c, ...), h (coarser) and two numbers.
class EveryPairing : public ::testing::Test {
 protected:
  EveryPairing() {
    put_rows(folder_ / "a.npy", 12, 2);
    put(folder_ / "t.csv",
        "g,h,u,w\na,p,0,0\na,p,0.1,0\nb,p,1,0\nb,p,1.1,0\nb,p,1.2,1\nb,p,1.3,1\nc,q,2,1\nc,q,2.1,"
        "1\nc,q,2.2,2\nd,q,3,2\n,q,3.1,2\ne,q,3.2,2\n");
    samples_ = samples_from("[samples]\npath = '" + (folder_ / "a.npy").string() + "'\ntable = '" +
                            (folder_ / "t.csv").string() + "'");
    all_.resize(12);
    std::iota(all_.begin(), all_.end(), 0);
  }

  std::shared_ptr<Pairing> make(const std::string& text) {
    Config config = Config::from_text("[pairing]\n" + text, "test");
    auto out = make_part(pairings(), config, "pairing", "self", PairingContext{*samples_, 1});
    out->use(all_);
    return out;
  }
  std::string mistake(const std::string& text) {
    return error_of([&] { make(text); });
  }
  /// Pair k under many draws: the samples that occur as x+.
  static std::set<int64_t> partners(const Pairing& pairing, int64_t k) {
    std::set<int64_t> out;
    const random::Stream stream(1, "partners");
    for (uint32_t i = 0; i < 200; ++i) {
      random::Sequence draws = stream.at(i);
      out.insert(pairing.pair(k, draws).x_plus);
    }
    return out;
  }

  TemporaryDirectory folder_;
  std::shared_ptr<SampleSet> samples_;
  std::vector<int64_t> all_;
};

TEST_F(EveryPairing, OfASampleWithItselfIsThatSampleTwice) {
  const auto pairing = make("kind = 'self'");
  EXPECT_EQ(pairing->count(), 12);
  EXPECT_THAT(partners(*pairing, 7), ElementsAre(7));
  EXPECT_FALSE(pairing->changes());
  const auto longer = make("kind = 'self'\nepoch = 30");
  EXPECT_EQ(longer->count(), 30);
  EXPECT_THAT(partners(*longer, 25), ElementsAre(1));
}

TEST_F(EveryPairing, OfAGroupTakesAnotherMember) {
  const auto pairing = make("kind = 'group'\nby = 'g'");
  EXPECT_EQ(pairing->count(), 9);  // d, e and the sample without a group have no partner
  EXPECT_THAT(partners(*pairing, 0), ElementsAre(1));
  EXPECT_THAT(partners(*pairing, 3), ElementsAre(2, 4, 5));
  EXPECT_EQ(pairing->remark(),
            "2 groups have only one sample, which is in no pair (pairing.alone = \"self\" pairs it "
            "with itself); 1 sample belongs to no group");
  const std::string before = pairing->remark();
  pairing->use(all_);  // as when a resumed run leaves out other samples
  EXPECT_EQ(pairing->remark(), before);
  pairing->use(std::vector<int64_t>{0, 1, 2, 3});
  EXPECT_EQ(pairing->remark(), "");
  const auto alone = make("kind = 'group'\nby = 'g'\nalone = 'self'");
  EXPECT_EQ(alone->count(), 11);
  EXPECT_THAT(partners(*alone, 9), ElementsAre(9));
}

TEST_F(EveryPairing, OfAGroupCanHaveEveryPairOnce) {
  const auto pairing = make("kind = 'group'\nby = 'g'\nepoch = 'pairs'");
  ASSERT_EQ(pairing->count(), 1 + 6 + 3);
  std::set<std::pair<int64_t, int64_t>> met;
  random::Sequence draws = random::Stream(1, "x").at(0);
  int swapped = 0;
  for (int64_t k = 0; k < pairing->count(); ++k) {
    const Pair pair = pairing->pair(k, draws);
    swapped += pair.x > pair.x_plus ? 1 : 0;
    EXPECT_NE(pair.x, pair.x_plus);
    EXPECT_EQ(pairing->group_of(pair.x), pairing->group_of(pair.x_plus));
    met.insert(std::minmax(pair.x, pair.x_plus));
  }
  EXPECT_EQ(met.size(), 10U);
  EXPECT_GT(swapped, 0);
  EXPECT_LT(swapped, 10);
}

TEST_F(EveryPairing, OfAGroupKeepsCleanAndCorruptedApart) {
  const auto pairing =
      make("kind = 'group'\nby = 'g'\ncoarse = 'h'\ncorruption = 0.5\nalone = 'self'");
  const std::string fine = "aabbbbcccd e", coarse = "ppppppqqqqqq";
  random::Sequence draws = random::Stream(1, "x").at(0);
  int beyond = 0;
  for (int64_t k = 0; k < pairing->count(); ++k) {
    for (int i = 0; i < 20; ++i) {
      const Pair pair = pairing->pair(k, draws);
      EXPECT_EQ(pairing->group_of(pair.x), pairing->group_of(pair.x_plus));
      const auto x = static_cast<size_t>(pair.x), y = static_cast<size_t>(pair.x_plus);
      EXPECT_EQ(coarse[x], coarse[y]);
      beyond += fine[x] != fine[y] ? 1 : 0;
    }
  }
  EXPECT_GT(beyond, 0);
  EXPECT_THAT(mistake("kind = 'group'\nby = 'g'\ncorruption = 0.5"),
              HasSubstr("expected both coarse and corruption, or neither, got only corruption"));
}

TEST_F(EveryPairing, OfAGroupTakesCorruptedOnesFromAColumn) {
  put(folder_ / "u.csv",
      "g,h,bad\na,p,0\na,p,1\nb,p,0\nb,p,1\nb,p,0\nb,p,0\nc,q,0\nc,q,1\nc,q,1"
      "\nd,q,0\nd,q,0\ne,q,2\n");
  samples_ = samples_from("[samples]\npath = '" + (folder_ / "a.npy").string() + "'\ntable = '" +
                          (folder_ / "u.csv").string() + "'");
  const std::string by = "kind = 'group'\nby = 'g'\ncoarse = 'h'\ncorrupted = 'bad'";
  EXPECT_THAT(mistake(by), HasSubstr("[pairing.corrupted] 'bad': expected 0 or 1, got '2' for row "
                                     "11"));
  put(folder_ / "u.csv",
      "g,h,bad\na,p,0\na,p,1\nb,p,0\nb,p,1\nb,p,0\nb,p,0\nc,q,0\nc,q,1\nc,q,1"
      "\nd,q,0\nd,q,0\ne,q,1\n");
  samples_ = samples_from("[samples]\npath = '" + (folder_ / "a.npy").string() + "'\ntable = '" +
                          (folder_ / "u.csv").string() + "'");
  const auto pairing = make(by);
  EXPECT_EQ(pairing->group_of(1), pairing->group_of(3)) << "corrupted, of one coarser group";
  EXPECT_EQ(pairing->group_of(2), pairing->group_of(4)) << "clean, of one group";
  EXPECT_NE(pairing->group_of(2), pairing->group_of(3));
  EXPECT_THAT(mistake(by + "\ncorruption = 0.5"),
              HasSubstr("expected either corruption or corrupted, got both"));
  // Both samples are drawn from the pool that a sample names.
  const auto pools = make(by + "\nepoch = 'pools'");
  EXPECT_EQ(pools->count(), pairing->count());
  std::set<int64_t> drawn;
  for (uint32_t i = 0; i < 200; ++i) {
    random::Sequence draws = random::Stream(1, "pools").at(i);
    const Pair pair = pools->pair(0, draws);
    EXPECT_NE(pair.x, pair.x_plus);
    EXPECT_EQ(pools->group_of(pair.x), pools->group_of(pair.x_plus));
    drawn.insert(pair.x);
  }
  EXPECT_GT(drawn.size(), 1U);
}

TEST_F(EveryPairing, OfAGroupSaysWhatItCannotGroupBy) {
  EXPECT_THAT(mistake("kind = 'group'\nby = 'gg'"),
              HasSubstr("[pairing.by] expected a column of the data, one of g, h, u, w, got 'gg'"));
  EXPECT_THAT(mistake("kind = 'group'\nby = 'row (1'"), HasSubstr("expected a regular expression"));
  EXPECT_THAT(mistake("kind = 'group'\nby = 'x(.)y'"), HasSubstr("which matches none"));
  EXPECT_EQ(make("kind = 'group'\nby = 'row (1)'")->count(), 3);  // rows 1, 10 and 11
}

TEST_F(EveryPairing, InTimeStaysWithinItsGap) {
  const auto one = make("kind = 'time'\ngap = '2'");
  EXPECT_EQ(one->count(), 10);
  EXPECT_THAT(partners(*one, 4), ElementsAre(6));
  const auto range = make("kind = 'time'\ngap = '1-3'");
  EXPECT_EQ(range->count(), 11);
  EXPECT_THAT(partners(*range, 4), ElementsAre(5, 6, 7));
  EXPECT_THAT(partners(*range, 10), ElementsAre(11));
  EXPECT_EQ(range->bonds().gap, 3);
  EXPECT_EQ(range->remark(), "1 sample has no later sample at this gap");
  EXPECT_EQ(one->remark(), "2 samples have no later sample at this gap");
  using Range = std::pair<double, double>;
  EXPECT_EQ(parse_gap("1e-3"), Range(1e-3, 1e-3));
  EXPECT_EQ(parse_gap("1e-3-5e-3"), Range(1e-3, 5e-3));
  EXPECT_EQ(parse_gap("2.5e-1-1e+2"), Range(0.25, 100));
  EXPECT_EQ(parse_gap("0.1-0.2"), Range(0.1, 0.2));
  for (const char* bad : {"", "0", "5-1", "x", "1-", "-1", "1-2-3", "nan", "1e-", "1e-3-", "1--5",
                          "-1e-3", "1-inf"}) {
    EXPECT_THAT(error_of([&] { parse_gap(bad); }), HasSubstr("[pairing.gap] expected")) << bad;
  }
}

TEST_F(EveryPairing, InTimeCountsSecondsAndStaysInASequence) {
  samples_ = samples_from("[samples]\npath = '" + (folder_ / "a.npy").string() + "'\ntable = '" +
                          (folder_ / "t.csv").string() + "'\nsequence = 'w'\ntime = 'u'");
  const auto pairing = make("kind = 'time'\ngap = '0.1-0.2'");
  std::map<int64_t, std::set<int64_t>> found;
  for (int64_t k = 0; k < pairing->count(); ++k) {
    random::Sequence draws = random::Stream(1, "x").at(0);
    found[pairing->pair(k, draws).x] = partners(*pairing, k);
  }
  const std::map<int64_t, std::set<int64_t>> expected = {{0, {1}}, {2, {3}},      {4, {5}},
                                                         {6, {7}}, {9, {10, 11}}, {10, {11}}};
  EXPECT_EQ(found, expected);
}

TEST_F(EveryPairing, OfAListIsTheList) {
  put(folder_ / "p.csv", "b,a,c\nrow 1,row 0,row 2\n4,3,5\n");
  const auto pairing = make("kind = 'list'\npath = '" + (folder_ / "p.csv").string() + "'");
  ASSERT_EQ(pairing->count(), 2);
  random::Sequence draws = random::Stream(1, "x").at(0);
  const Pair first = pairing->pair(0, draws);
  EXPECT_EQ(first.x, 0);
  EXPECT_EQ(first.x_plus, 1);
  EXPECT_EQ(first.further, 2);
  EXPECT_TRUE(pairing->has_further());
  const Bonds bonds = pairing->bonds();
  EXPECT_EQ(bonds.group[0], bonds.group[2]);
  EXPECT_NE(bonds.group[0], bonds.group[3]);
  EXPECT_EQ(bonds.groups, 8);
  pairing->use(std::vector<int64_t>{0, 1, 2, 3});
  EXPECT_EQ(pairing->count(), 1);
  EXPECT_THAT(pairing->remark(), HasSubstr("1 pair of the list is left out"));
}

TEST_F(EveryPairing, OfAListReadsArrays) {
  const std::vector<int64_t> numbers = {0, 1, 5, 4};
  storage::write_npy(folder_ / "p.npy", storage::Dtype::kI64, {2, 2},
                     std::as_bytes(std::span(numbers)));
  const auto pairing =
      make("kind = 'list'\nordered = false\npath = '" + (folder_ / "p.npy").string() + "'");
  EXPECT_THAT(partners(*pairing, 1), ElementsAre(4, 5));
}

TEST_F(EveryPairing, OfAListSaysWhichLineIsWrong) {
  const auto wrong = [&](const std::string& text) {
    put(folder_ / "p.csv", text);
    return mistake("kind = 'list'\npath = '" + (folder_ / "p.csv").string() + "'");
  };
  EXPECT_THAT(wrong("a,b\n1,2\n1,12\n"), HasSubstr("p.csv:3] expected the number of a sample, 0 to "
                                                   "11, got 12"));
  EXPECT_THAT(wrong("a,b\n1,x.png\n"),
              HasSubstr("p.csv:2] expected a sample's name or number, got 'x.png'"));
  EXPECT_THAT(wrong("a\nx\n"), HasSubstr("expected two columns, a and b, got 1"));
  EXPECT_THAT(wrong("a,b\n"), HasSubstr("expected pairs, got none"));
  EXPECT_THAT(mistake("kind = 'list'"), HasSubstr("expected pairing.path=FILE"));
  put_rows(folder_ / "f.npy", 3, 2);
  EXPECT_THAT(mistake("kind = 'list'\npath = '" + (folder_ / "f.npy").string() + "'"),
              HasSubstr("expected int64 or int32 of shape [pairs, 2] or [pairs, 3], got F32"));
}

TEST_F(EveryPairing, OfNeighboursTakesTheNearestOther) {
  const auto pairing =
      make("kind = 'neighbour'\ncolumns = ['u']\nredraw = 0.0\nstandardise = false");
  EXPECT_EQ(pairing->count(), 12);
  EXPECT_THAT(partners(*pairing, 0), ElementsAre(1));
  EXPECT_THAT(partners(*pairing, 9), ElementsAre(10));
  const auto redrawn = make("kind = 'neighbour'\ncolumns = ['u', 'w']\nredraw = 1.0");
  EXPECT_EQ(partners(*redrawn, 0).size(), 11U);  // every donor is its own nearest sample
  EXPECT_THAT(mistake("kind = 'neighbour'"), HasSubstr("expected pairing.columns"));
  EXPECT_THAT(mistake("kind = 'neighbour'\ncolumns = ['g']"),
              HasSubstr("expected columns of numbers, got 'g' with words such as"));
}

/// Samples that only have two columns of numbers.
class OnlyColumns final : public SampleSet {
 public:
  OnlyColumns(std::vector<double> u, std::vector<double> w) { columns_ = {{"u", u}, {"w", w}}; }
  int64_t count() const override { return columns_.front().count(); }
  std::string name(int64_t i) const override { return "s" + std::to_string(i); }
};

TEST(Neighbours, AreOnlyLookedForAmongFiniteNumbers) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto mistake = [](const SampleSet& samples, bool standardise) {
    return error_of([&] {
      NeighbourPairing pairing({.columns = {"u", "w"}, .standardise = standardise}, {samples, 1});
      pairing.use(std::vector<int64_t>{0, 1, 2, 3});
    });
  };
  for (const bool standardise : {true, false}) {
    EXPECT_EQ(mistake(OnlyColumns({0, 1, 2, 3}, {0, 1, 2, 3}), standardise), "(no error)");
    EXPECT_THAT(mistake(OnlyColumns({0, 1, 2, 3}, {0, 1, kNan, kNan}), standardise),
                HasSubstr("[pairing.columns] expected finite numbers, got "));
    EXPECT_THAT(mistake(OnlyColumns({0, 1, 2, 3}, {0, -kInfinity, 2, 3}), standardise),
                HasSubstr("-inf in column 'w' of 's1'"));
    // Larger than any float, and a deviation whose inverse is.
    EXPECT_THAT(mistake(OnlyColumns({0, 1, 1e300, 3}, {0, 1, 2, 3}), standardise),
                HasSubstr("1e+300 in column 'u' of 's2'"));
  }
  // Samples that are not used may have no number.
  const OnlyColumns samples({0, 1, kNan}, {0, 1, 2});
  NeighbourPairing pairing({.columns = {"u", "w"}}, {samples, 1});
  pairing.use(std::vector<int64_t>{0, 1});
  random::Sequence draws = random::Stream(1, "x").at(0);
  EXPECT_EQ(pairing.pair(0, draws).x_plus, 1);
}

int64_t nearest_of_all(const KdTree& tree, std::span<const float> query, int64_t excluded) {
  int64_t best = -1;
  double nearest = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < tree.count(); ++i) {
    double distance = 0;
    for (size_t d = 0; d < query.size(); ++d) {
      distance += std::pow(static_cast<double>(tree.point(i)[d]) - query[d], 2);
    }
    if (i == excluded || distance >= nearest) continue;
    nearest = distance;
    best = i;
  }
  return best;
}

TEST(KdTree, FindsWhatASearchOfAllPointsFinds) {
  constexpr int64_t kCount = 2000, kQueries = 150;
  for (const int64_t width : {1, 2, 4, 10}) {
    for (const double steps : {4.0, 20.0, 1e6}) {  // with many ties, some, and none
      random::Sequence draws = random::Stream(3, "points").at(static_cast<uint32_t>(width));
      std::vector<float> points;
      for (int64_t i = 0; i < kCount * width; ++i) {
        points.push_back(static_cast<float>(std::round(draws.uniform() * steps)));
      }
      const KdTree tree(points, width);
      for (int64_t q = 0; q < kQueries; ++q) {
        ASSERT_THAT(tree.point(q),
                    ::testing::ElementsAreArray(std::span(points).subspan(
                        static_cast<size_t>(q * width), static_cast<size_t>(width))));
        ASSERT_EQ(tree.nearest(tree.point(q), q), nearest_of_all(tree, tree.point(q), q));
        // A point between the others, and one far outside.
        std::vector<float> query(tree.point(q).begin(), tree.point(q).end());
        for (float& value : query) value += static_cast<float>(draws.uniform());
        ASSERT_EQ(tree.nearest(query, q), nearest_of_all(tree, query, q));
        query[static_cast<size_t>(q % width)] = static_cast<float>(-3 * steps);
        ASSERT_EQ(tree.nearest(query, q), nearest_of_all(tree, query, q));
      }
    }
  }
}

TEST(KdTree, OfNoOtherPointFindsNone) {
  EXPECT_EQ(KdTree({1, 2}, 2).nearest(std::vector<float>{0, 0}, 0), -1);
  EXPECT_EQ(KdTree({}, 2).nearest(std::vector<float>{0, 0}, 0), -1);
}

}  // namespace
}  // namespace adassl::data
