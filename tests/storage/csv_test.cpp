#include "adassl/storage/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::put;
using testing::TemporaryDirectory;

using Lines = std::vector<std::vector<std::string>>;

struct Read {
  std::vector<std::string> columns;
  Lines lines;
};

Read read(std::string_view text, const std::string& name = "t.csv") {
  const TemporaryDirectory folder;
  put(folder / name, text);
  CsvReader reader(folder / name);
  Read out{reader.columns(), {}};
  for (std::vector<std::string> fields; reader.next(fields);) out.lines.push_back(fields);
  return out;
}

std::string mistake_in(std::string_view text) {
  std::string message = error_of([&] { read(text); });
  const size_t at = message.find("t.csv");
  return at == std::string::npos ? message : message.substr(at);
}

TEST(Csv, ReadsPlainAndQuotedFields) {
  const Read table = read("a,b\n1,\"x, \"\"y\"\"\nz\"\n,\n");
  EXPECT_THAT(table.columns, ElementsAre("a", "b"));
  EXPECT_EQ(table.lines, (Lines{{"1", "x, \"y\"\nz"}, {"", ""}}));
}

TEST(Csv, ReadsWindowsLinesAndAByteOrderMark) {
  const Read table = read("\xef\xbb\xbfpath,id\r\nb c.png,7\r\n");
  EXPECT_THAT(table.columns, ElementsAre("path", "id"));
  EXPECT_EQ(table.lines, (Lines{{"b c.png", "7"}}));
}

TEST(Csv, NeedsNoNewlineAtTheEnd) { EXPECT_EQ(read("a\nx").lines, (Lines{{"x"}})); }

TEST(Csv, NamesTheColumnsOfATableOfNumbers) {
  const Read table = read("1,2.5\n-3e1,+4\n");
  EXPECT_THAT(table.columns, ElementsAre("c0", "c1"));
  EXPECT_EQ(table.lines, (Lines{{"1", "2.5"}, {"-3e1", "+4"}}));
}

TEST(Csv, TakesNoNumbersForNamesWhereTheFirstLineHasGaps) {
  EXPECT_THAT(read("1,nan,,-inf\n2,3,4,5\n").columns, ElementsAre("c0", "c1", "c2", "c3"));
  EXPECT_THAT(read("nan,inf\n2,3\n").columns, ElementsAre("nan", "inf"));
  EXPECT_THAT(read("1,x\n2,3\n").columns, ElementsAre("1", "x"));
}

TEST(Csv, SeparatesByTabsWhereTheNameSaysSo) {
  EXPECT_EQ(read("a\tb\n1,5\tx\n", "t.tsv").lines, (Lines{{"1,5", "x"}}));
}

TEST(Csv, NamesTheLineOfAMistake) {
  EXPECT_EQ(mistake_in(""), "t.csv] expected a table, got an empty file");
  EXPECT_EQ(mistake_in("a,b\n1,2\n\"x\ny\",2\n3\n"), "t.csv:5] expected 2 fields, got 1");
  EXPECT_EQ(mistake_in("a,b\n1,2,3\n"), "t.csv:2] expected 2 fields, got 3");
  EXPECT_EQ(mistake_in("a\n\"x\n"), "t.csv:2] expected a closing quote, got none");
  EXPECT_THAT(mistake_in("a\nx\"y\n"), HasSubstr("t.csv:2] expected a quote only around"));
  EXPECT_THAT(mistake_in("a,b\n\"x\"y,1\n"), HasSubstr("t.csv:2] expected ',' or the end"));
  EXPECT_THAT(mistake_in("a\nx\ry\n"), HasSubstr("t.csv:2] expected ',' or the end"));
  EXPECT_EQ(mistake_in(std::string_view("a\nx\0\n", 5)), "t.csv:2] expected text, got a zero byte");
  EXPECT_EQ(mistake_in("a,b,a\n"), "t.csv:1] expected columns of different names, got 'a' twice");
  EXPECT_EQ(mistake_in("a,\n"), "t.csv:1] expected a name for every column, got none");
}

TEST(Csv, ListsTheColumnsWhereOneIsMissing) {
  const TemporaryDirectory folder;
  put(folder / "t.csv", "path,label\n");
  const CsvReader reader(folder / "t.csv");
  EXPECT_EQ(reader.find("label"), 1);
  EXPECT_EQ(reader.find("x"), -1);
  EXPECT_THAT(error_of([&] { reader.require("labl"); }),
              HasSubstr("expected a column 'labl', got path, label; did you mean 'label'?"));
}

TEST(Csv, TakesOnlyFiniteNumbersForNumbers) {
  double value = 0;
  EXPECT_TRUE(parse_number(" -1.5e3 ", value));
  EXPECT_EQ(value, -1500);
  for (const char* no : {"", " ", "1x", "nan", "inf", "1e999", "0x10", "1,5", "--1"}) {
    EXPECT_FALSE(parse_number(no, value)) << no;
  }
}

TEST(Csv, ReadsBackTheFieldsItQuotes) {
  for (const std::string field : {"plain", "a,b", "say \"x\"", "two\nlines", "a\r", "\ttab"}) {
    EXPECT_EQ(read("a\n" + csv_field(field) + "\n").lines, (Lines{{field}}));
  }
}

}  // namespace
}  // namespace adassl::storage
