#include <gtest/gtest.h>

#include "adassl/core/config.h"

namespace adassl {
namespace {

TEST(Config, KeepsTheSectionsThatAreNamed) {
  Config config = Config::from_text("a = 1\n[b]\nx = 1\n[c]\ny = 2\n[bc]\nz = 3\n", "test");
  config.keep_sections({"b", "c"});
  EXPECT_TRUE(config.has("b.x"));
  EXPECT_TRUE(config.has("c.y"));
  EXPECT_FALSE(config.has("a"));
  EXPECT_FALSE(config.has("bc.z"));
  config.remove("b.x");
  config.remove("nothing");
  EXPECT_FALSE(config.has("b.x"));
}

}  // namespace
}  // namespace adassl
