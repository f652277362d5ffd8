#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "support/error_message.h"

namespace adassl {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string verdict(const std::string& text) {
  return error_of([&] { Config::from_text(text, "x.toml"); });
}

std::string text_of(const std::string& toml) {
  return Config::from_text(toml, "x.toml").read_text("a", "", "");
}

// The ends of the ranges of characters that toml++ 3.3 does not handle, and characters outside
// them.
const std::string kCharacters[] = {"\u00a1", "\u0344", "\u0499", "\u2c5e", "\u3057",    "\ufb26",
                                   "\ufefe", "\u04a0", "\u00a0", "\u4e2d", "\U0001f600"};

TEST(Toml, KnowsOnlyAsciiOutsideOfStringsAndComments) {
  for (const std::string& c : kCharacters) {
    for (const std::string& text :
         {"a = " + c, "a = 1 " + c, "a" + c + " = 1", "[" + c + "]", "[a" + c + "]", "a = [" + c,
          "a = 1" + c + "0", "a. " + c + " = 1", c + "\n", "a = \"\" " + c, "a = 3a\"" + c + "\"",
          "a = \"\"\"\\" + c + "\"\"\"", "a = \"\"\"\\ " + c + "\"\"\""}) {
      EXPECT_THAT(verdict("b = 1\n" + text), StartsWith("[x.toml:2] not valid TOML: ")) << text;
    }
  }
}

TEST(Toml, TakesAnyCharacterInStringsAndComments) {
  for (const std::string& c : kCharacters) {
    EXPECT_EQ(text_of("# " + c + "\na = \"" + c + " " + c + "\"  # " + c), c + " " + c);
    EXPECT_EQ(text_of("a = '" + c + "'"), c);
    EXPECT_EQ(text_of("a = '''\n" + c + " ''" + c + "'''\n"), c + " ''" + c);
    EXPECT_EQ(text_of("a = \"\"\"\n" + c + "\n" + c + "\"\"\"\n"), c + "\n" + c);
    EXPECT_EQ(Config::from_text("b.\"" + c + "\" = 1", "x").names_below("b").at(0), c);
  }
}

TEST(Toml, LetsALineThatIsJoinedToAnotherBeginWithAnyCharacter) {
  for (const std::string c : {"é", "ß", "\u0344", "\u3057", "\ufefe", "\u4e2d", "\U0001f600"}) {
    EXPECT_EQ(text_of("a = \"\"\"one \\\n   " + c + " two\"\"\"\n"), "one " + c + " two");
  }
}

TEST(Toml, RefusesControlCharacters) {
  EXPECT_THAT(verdict(std::string("[[\x00\x01ws]]", 8)), HasSubstr("saw '\\u0000'"));
  for (const char* text : {"a = \"\x1b\"", "# \x7f", "a = \x02", "\x01 = 1", "[\x0b]"}) {
    EXPECT_THAT(verdict(text), StartsWith("[x.toml:1] not valid TOML: ")) << text;
  }
}

TEST(Toml, OfAnyDamageIsAnErrorAndNoAssumption) {
  for (const char* text : {"[=]", "[[ ,]]", "a = 1979-05-27Tx", "a = 1979-05-27T", "a = ]"}) {
    EXPECT_THAT(verdict(text), StartsWith("[x.toml:1] not valid TOML: ")) << text;
  }
}

}  // namespace
}  // namespace adassl
