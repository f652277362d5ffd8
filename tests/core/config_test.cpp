#include "adassl/core/config.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"

namespace adassl {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::error_of;
using ::testing::HasSubstr;

struct Train {
  int64_t steps = 100;
  double rate = 0.1;
  bool fast = false;
  std::string mode = "plain";
  std::string note;
  std::vector<int64_t> sizes = {1, 2};
  std::vector<double> weights;
  std::vector<std::string> names;
  bool operator==(const Train&) const = default;
  void visit(Fields& field) {
    field("steps", steps, "how many", {1, 1e9});
    field("rate", rate, "how fast", {0, 1});
    field("fast", fast, "whether");
    field("mode", mode, "which", {"plain", "fancy"});
    field("note", note, "free text");
    field("sizes", sizes, "whole numbers", {0, 10});
    field("weights", weights, "numbers", {-1, 1});
    field("names", names, "words", {"red", "green", "blue"});
  }
};

Train read_train(const std::string& text) {
  Config config = Config::from_text(text, "file.toml");
  return config.read<Train>("train");
}

TEST(Config, FillsAStructFromItsSection) {
  const Train train = read_train(R"(
[train]
steps = 7
rate = 1
fast = true
mode = "fancy"
note = "a \"quoted\" text"
sizes = [3, 4, 5]
weights = [0.5, -1]
names = ["red", "blue"]
)");
  EXPECT_EQ(
      train,
      (Train{7, 1.0, true, "fancy", "a \"quoted\" text", {3, 4, 5}, {0.5, -1}, {"red", "blue"}}));
}

TEST(Config, LeavesDefaultsWhereNothingIsSaid) { EXPECT_EQ(read_train(""), Train()); }

TEST(Config, ReadsNestedAndDottedKeysAlike) {
  Config nested = Config::from_text("[a.b.train]\nsteps = 3\n", "file.toml");
  Config dotted = Config::from_text("a.b.train.steps = 3\n", "file.toml");
  Config inlined = Config::from_text("a = { b = { train = { steps = 3 } } }\n", "file.toml");
  for (Config* config : {&nested, &dotted, &inlined}) {
    EXPECT_EQ(config->read<Train>("a.b.train").steps, 3);
    EXPECT_TRUE(config->has("a.b.train.steps"));
  }
}

TEST(Config, ReadsTheTopWithAnEmptySection) {
  Config config = Config::from_text("steps = 3\n", "file.toml");
  EXPECT_EQ(config.read<Train>("").steps, 3);
}

TEST(Config, TakesAWholeFloatForAnInteger) {
  EXPECT_EQ(read_train("train.steps = 2e3").steps, 2000);
}

TEST(Config, NamesPlaceKeyWishAndValueOfAWrongType) {
  EXPECT_EQ(error_of([] { read_train("[train]\n\nsteps = \"many\""); }),
            "[file.toml:3] train.steps: expected a whole number from 1 to 1e+09, got \"many\"");
  EXPECT_THAT(error_of([] { read_train("train.steps = 1.5"); }), HasSubstr("got 1.5"));
  EXPECT_THAT(error_of([] { read_train("train.steps = [1]"); }), HasSubstr("got [1]"));
  EXPECT_THAT(error_of([] { read_train("train.rate = true"); }), HasSubstr("a number from 0 to 1"));
  EXPECT_THAT(error_of([] { read_train("train.fast = 1"); }), HasSubstr("true or false"));
  EXPECT_THAT(error_of([] { read_train("train.note = true"); }), HasSubstr("a text"));
  EXPECT_THAT(error_of([] { read_train("train.note = [\"a\"]"); }), HasSubstr("no list"));
  EXPECT_THAT(error_of([] { read_train("train.sizes = 1"); }), HasSubstr("a list"));
  EXPECT_THAT(error_of([] { read_train("train.sizes = [1, \"a\"]"); }), HasSubstr("each element"));
  EXPECT_THAT(error_of([] { read_train("train.names = [true]"); }), HasSubstr("a text"));
}

TEST(Config, TakesATextForAListOfOne) {
  EXPECT_EQ(read_train("train.names = 'red'").names, std::vector<std::string>{"red"});
}

TEST(Config, TakesANumberForAText) {
  EXPECT_EQ(read_train("train.note = 1").note, "1");
  EXPECT_EQ(read_train("train.note = -0.5").note, "-0.5");
  EXPECT_EQ(error_of([] { read_train("train.mode = 1"); }),
            "[file.toml:1] train.mode: expected one of plain, fancy, got 1");
  EXPECT_EQ(error_of([] { read_train("train.names = [1]"); }),
            "[file.toml:1] train.names: expected a list, each element one of red, green, blue, got "
            "[1]");
}

TEST(Config, RefusesWhatTomlHasAndOptionsHaveNot) {
  EXPECT_THAT(error_of([] { read_train("train.day = 2024-01-01"); }), HasSubstr("[file.toml:1]"));
  EXPECT_THAT(error_of([] { read_train("train.sizes = [[1]]"); }), HasSubstr("a list of these"));
}

TEST(Config, RefusesWhatIsOutOfRange) {
  EXPECT_THAT(error_of([] { read_train("train.steps = 0"); }), HasSubstr("from 1 to 1e+09, got 0"));
  EXPECT_THAT(error_of([] { read_train("train.rate = -0.1"); }), HasSubstr("got -0.1"));
  EXPECT_THAT(error_of([] { read_train("train.rate = nan"); }), HasSubstr("got nan"));
  EXPECT_THAT(error_of([] { read_train("train.steps = inf"); }), HasSubstr("got inf"));
  EXPECT_THAT(error_of([] { read_train("train.sizes = [1, 11]"); }), HasSubstr("from 0 to 10"));
  EXPECT_THAT(error_of([] { read_train("train.weights = [2]"); }), HasSubstr("from -1 to 1"));
}

TEST(Config, NamesTheChoicesAndTheNearest) {
  EXPECT_EQ(error_of([] { read_train("train.mode = \"fancie\""); }),
            "[file.toml:1] train.mode: expected one of plain, fancy; did you mean 'fancy'?, got "
            "\"fancie\"");
  EXPECT_THAT(error_of([] { read_train("train.names = [\"gren\"]"); }), HasSubstr("'green'"));
}

TEST(Config, ReadsASingleText) {
  Config config = Config::from_text("kind = \"a\"", "file.toml");
  EXPECT_EQ(config.read_text("kind", "b", "which", {"a", "b"}), "a");
  EXPECT_EQ(config.read_text("other", "b", "which"), "b");
}

TEST(Config, NamesTheNearestKeyWhenOneIsUnknown) {
  Config config = Config::from_text("[train]\nstpes = 3\n", "file.toml");
  config.read<Train>("train");
  EXPECT_EQ(error_of([&] { config.require_all_read(); }),
            "[file.toml:2] unknown key 'train.stpes': no chosen part reads it; did you mean "
            "'train.steps'?");
}

TEST(Config, FindsTheRightKeyInTheWrongSection) {
  Config config = Config::from_text("[completely.different]\nsteps = 3\n", "file.toml");
  config.read<Train>("train");
  EXPECT_THAT(error_of([&] { config.require_all_read(); }), HasSubstr("'train.steps'?"));
}

TEST(Config, PrefersTheSectionNearestToTheTopAndNeverGuessesByTheSectionAlone) {
  Config config = Config::from_text("[other]\nsteps = 3\n", "file.toml");
  config.read<Train>("train");
  config.read<Train>("evaluate.train");
  EXPECT_THAT(error_of([&] { config.require_all_read(); }), HasSubstr("'train.steps'?"));
  Config alone = Config::from_text("[train]\nlr = 3\n", "file.toml");
  alone.read<Train>("train");
  EXPECT_THAT(error_of([&] { alone.require_all_read(); }), EndsWith("no chosen part reads it"));
}

TEST(Config, AnUnreadKeyIsAnErrorAlsoWithoutANeighbour) {
  Config config = Config::from_text("zzzzzzzz = 3\n", "file.toml");
  config.read<Train>("train");
  EXPECT_EQ(error_of([&] { config.require_all_read(); }),
            "[file.toml:1] unknown key 'zzzzzzzz': no chosen part reads it");
}

TEST(Config, IsContentWhenEveryKeyWasRead) {
  Config config = Config::from_text("train.steps = 3", "file.toml");
  config.read<Train>("train");
  EXPECT_NO_THROW(config.require_all_read());
}

TEST(Override, ReplacesAndAddsKeys) {
  Config config = Config::from_text("[train]\nsteps = 3\n", "file.toml");
  for (const char* assignment : {"train.steps=9", " train.rate = 0.5 ", "train.sizes=[7, 8]",
                                 "train.fast=true", "train.names=[\"red\"]"}) {
    config.override_with(assignment);
  }
  const Train train = config.read<Train>("train");
  EXPECT_EQ(train.steps, 9);
  EXPECT_EQ(train.rate, 0.5);
  EXPECT_TRUE(train.fast);
  EXPECT_THAT(train.sizes, ElementsAre(7, 8));
  EXPECT_THAT(train.names, ElementsAre("red"));
}

TEST(Override, TakesWhatIsNoTomlAsText) {
  Config config = Config::from_text("", "file.toml");
  config.override_with("train.mode=fancy");
  config.override_with("train.note=a=b c");
  EXPECT_EQ(config.read<Train>("train").mode, "fancy");
  EXPECT_EQ(config.read<Train>("train").note, "a=b c");
}

TEST(Override, TakesWhatLacksItsQuotesAsText) {
  Config config = Config::from_text("", "file.toml");
  for (const std::string note : {"/home/é/x", "\u0344", "a\x01z", "1\nother = 2"}) {
    config.override_with("train.note=" + note);
    EXPECT_EQ(config.read<Train>("train").note, note);
  }
  config.override_with("train.note=\"\"\"one \\\n  été\"\"\"");
  EXPECT_EQ(config.read<Train>("train").note, "one été");
}

TEST(Override, KeepsTheTextOfANumberWhereATextIsExpected) {
  struct Words {
    std::string word;
    std::vector<std::string> words;
    void visit(Fields& field) {
      field("word", word, "free text");
      field("words", words, "free texts");
    }
  };
  Config config = Config::from_text("", "file.toml");
  for (const std::string typed : {"1", "1_000", "1.50", "+2", "0x10", "nan", "1e3"}) {
    config.override_with("word=" + typed);
    config.override_with("words=" + typed);
    EXPECT_EQ(config.read<Words>("").word, typed);
    EXPECT_THAT(config.read<Words>("").words, ElementsAre(typed));
  }
  config.override_with("words=[1, 2.5]");
  EXPECT_THAT(config.read<Words>("").words, ElementsAre("1", "2.5"));
}

TEST(Override, EqualsTheTextThatARunKeepsOfANumber) {
  Config given = Config::from_text("", "given");
  given.override_with("word=1.50");
  EXPECT_EQ(given.difference_from(Config::from_text("word = '1.50'", "run")), "");
  EXPECT_EQ(given.difference_from(Config::from_text("word = '1.5'", "run")),
            "word is \"1.5\" there, and 1.5 here");
}

TEST(Override, StandsHostileNesting) {
  std::string dots = "a";
  for (size_t i = 0; i < 200'000; ++i) dots += ".a";
  Config config = Config::from_text("", "file.toml");
  config.override_with("train.note={" + dots + " = 1}");
  EXPECT_THAT(config.read<Train>("train").note, HasSubstr(".a = 1}"));
}

TEST(Override, IsNamedInMessages) {
  Config config = Config::from_text("", "file.toml");
  config.override_with("train.steps=0");
  EXPECT_THAT(error_of([&] { config.read<Train>("train"); }),
              HasSubstr("[command line, train.steps] train.steps: expected"));
}

TEST(Override, WantsAKeyAndAValue) {
  Config config = Config::from_text("", "file.toml");
  EXPECT_EQ(error_of([&] { config.override_with("steps"); }),
            "[command line] expected key=value, got 'steps'");
  EXPECT_THAT(error_of([&] { config.override_with("=3"); }), HasSubstr("expected key=value"));
}

TEST(Config, DefaultsGiveWayToWhatIsThere) {
  Config config = Config::from_text("train.steps = 3", "file.toml");
  config.set_default("train.steps", int64_t{5});
  config.set_default("train.rate", 0.25);
  EXPECT_EQ(config.read<Train>("train").steps, 3);
  EXPECT_EQ(config.read<Train>("train").rate, 0.25);
}

TEST(Config, ArraysOfTablesBecomeNumberedSections) {
  Config config = Config::from_text(R"(
[[rows]]
train.steps = 1
[[rows]]
train.steps = 2
)",
                                    "file.toml");
  EXPECT_EQ(config.count("rows"), 2);
  EXPECT_THAT(config.names_below("rows"), ElementsAre("0", "1"));
  EXPECT_EQ(config.read<Train>("rows.0.train").steps, 1);
  EXPECT_EQ(config.read<Train>("rows.1.train").steps, 2);
  EXPECT_EQ(config.count("columns"), 0);
}

TEST(Config, NamesBelowAreSortedAndDirect) {
  const Config config = Config::from_text("b.x.y = 1\na.z = 2\nb.w = 3\nbc = 4", "file.toml");
  EXPECT_THAT(config.names_below(""), ElementsAre("a", "b", "bc"));
  EXPECT_THAT(config.names_below("b"), ElementsAre("w", "x"));
}

TEST(Resolved, HoldsEveryKeyThatWasReadWithItsFinalValue) {
  Config config = Config::from_text("[train]\nsteps = 3\n", "file.toml");
  config.read_text("kind", "none", "which");
  config.read<Train>("train");
  config.resolve("train.rate", 0.75);
  EXPECT_EQ(config.resolved(), R"(kind = "none"

[train]
steps = 3
rate = 0.75
fast = false
mode = "plain"
note = ""
sizes = [1, 2]
weights = []
names = []
)");
}

TEST(Resolved, ReadsBackAsTheSameOptionsAndTheSameText) {
  Config config = Config::from_text(R"(
[train]
rate = 0.1234567890123456
note = "quote \" backslash \\ tab \t newline \n bell \u0007 umlaut ü delete \u007f"
weights = [1e-300, -1, 0.3333333333333333]
[[rows]]
train.names = ["red"]
[[rows]]
train.steps = 1e9
)",
                                    "file.toml");
  const auto all = [](Config& from) {
    return std::vector{from.read<Train>("train"), from.read<Train>("rows.0.train"),
                       from.read<Train>("rows.1.train")};
  };
  const auto options = all(config);
  Config again = Config::from_text(config.resolved(), "resolved");
  EXPECT_EQ(all(again), options);
  EXPECT_EQ(again.resolved(), config.resolved());
  EXPECT_NO_THROW(again.require_all_read());
}

TEST(ToToml, WritesEveryKindOfValueSoThatItKeepsItsKind) {
  EXPECT_EQ(to_toml(true), "true");
  EXPECT_EQ(to_toml(int64_t{-3}), "-3");
  EXPECT_EQ(to_toml(3.0), "3.0");
  EXPECT_EQ(to_toml(1e22), "1e+22");
  EXPECT_EQ(to_toml(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(to_toml(std::string("a\"b\\c\n")), "\"a\\\"b\\\\c\\u000A\"");
  EXPECT_EQ(to_toml(std::vector<Scalar>{int64_t{1}, 2.0, std::string("x")}), "[1, 2.0, \"x\"]");
}

TEST(Config, GivenReadsBackAsTheSameConfiguration) {
  Config config = Config::from_text(
      R"(a = "one \"and\" \\ two\nlines"
b = [1, 2]
[c]
d = 1e-300
e = true
f = ["x", ""]
)",
      "x");
  config.override_with("c.g=0.1");
  const Config again = Config::from_text(config.given(), "again");
  EXPECT_EQ(again.given(), config.given());
  EXPECT_EQ(config.difference_from(again), "");
  EXPECT_EQ(again.difference_from(config), "");
}

TEST(Config, GivenReadsBackWhateverItsKeysAreCalled) {
  const Config config =
      Config::from_text("\"a b\" = 1\n\"\" = 2\n[c.\"d\\n\"]\n\"é\" = 3\n\"e.f\" = 4\n", "x");
  EXPECT_EQ(Config::from_text(config.given(), "again").given(), config.given());
}

TEST(Config, RefusesTwoMeaningsOfOneKey) {
  EXPECT_THAT(error_of([] { Config::from_text("a.b = 1\n\"a.b\" = 2\n", "x"); }),
              HasSubstr("the key 'a.b' is there twice"));
  EXPECT_EQ(error_of([] { Config::from_text("\"a.b\" = 1\na-c = 2\na = 3\n", "x"); }),
            "[x:1] 'a.b' lies below the key 'a', which has a value");
}

TEST(Config, SaysOneLineWhateverAKeyHolds) {
  const Config config = Config::from_text("\"a\\nb\\u001B\" = 1\n", "x");
  EXPECT_THAT(error_of([&] { config.require_all_read(); }), HasSubstr("unknown key 'a?b?'"));
}

TEST(Config, NamesAKeyThatAnotherLacksButNotTheThreads) {
  const Config all = Config::from_text("a = 1\n[b]\nc = 2\n[compute]\nthreads = 3\n", "x");
  EXPECT_EQ(all.key_missing_in(all), "");
  EXPECT_EQ(all.key_missing_in(Config::from_text("a = 9\n", "y")), "b.c");
  EXPECT_EQ(all.key_missing_in(Config::from_text("a = 1\nb.c = 0\nd = 5\n", "y")), "");
}

}  // namespace
}  // namespace adassl
