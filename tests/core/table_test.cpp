#include "adassl/core/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"

namespace adassl {
namespace {

using ::testing::ElementsAre;
using testing::error_of;

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};

struct Square final : Shape {
  struct Options {
    static constexpr std::string_view kName = "square";
    static constexpr std::string_view kSummary = "four equal sides";
    double side = 2;
    void visit(Fields& field) { field("side", side, "length of a side", {0, 100}); }
  };
  Square(const Options& options, double scale) : side(options.side * scale) {}
  double area() const override { return side * side; }
  double side;
};

struct Nothing final : Shape {
  struct Options {
    static constexpr std::string_view kName = "nothing";
    static constexpr std::string_view kSummary = "no area at all";
    void visit(Fields&) {}
  };
  Nothing(const Options&, double) {}
  double area() const override { return 0; }
};

const std::vector<Entry<Shape, double>>& shapes() {
  static const std::vector<Entry<Shape, double>> table = {entry<Square, Shape, double>(),
                                                          entry<Nothing, Shape, double>()};
  return table;
}

TEST(Table, FindsAnEntryByName) {
  EXPECT_EQ(find(shapes(), "shape", "square").summary, "four equal sides");
  EXPECT_THAT(names(shapes()), ElementsAre("square", "nothing"));
}

TEST(Table, NamesTheKnownAndTheNearestWhenOneIsUnknown) {
  EXPECT_EQ(error_of([] { find(shapes(), "shape", "sqare"); }),
            "[shape] expected one of square, nothing, got 'sqare'; did you mean 'square'?");
}

TEST(Table, MakesThePartThatTheConfigurationNames) {
  Config config = Config::from_text("[shape]\nkind = \"square\"\nside = 3.0\n", "test");
  EXPECT_EQ(make_part(shapes(), config, "shape", "nothing", 2.0)->area(), 36);
  EXPECT_NO_THROW(config.require_all_read());
}

TEST(Table, MakesTheDefaultPartWhenNoneIsNamed) {
  Config config = Config::from_text("", "test");
  EXPECT_EQ(make_part(shapes(), config, "shape", "nothing", 2.0)->area(), 0);
}

TEST(Table, AnOptionOfAnotherPartIsUnknown) {
  Config config = Config::from_text("[shape]\nkind = \"nothing\"\nside = 3.0\n", "test");
  make_part(shapes(), config, "shape", "nothing", 2.0);
  EXPECT_THAT(error_of([&] { config.require_all_read(); }),
              ::testing::HasSubstr("[test:3] unknown key 'shape.side'"));
}

TEST(Table, DescribesTheOptionsOfEachEntry) {
  const auto fields = find(shapes(), "shape", "square").describe();
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].name, "side");
  EXPECT_EQ(fields[0].type, "float");
  EXPECT_EQ(fields[0].value, "2.0");
  EXPECT_EQ(fields[0].allowed, "0 to 100");
  EXPECT_EQ(fields[0].help, "length of a side");
}

}  // namespace
}  // namespace adassl
