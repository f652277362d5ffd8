#include "adassl/bench/in_child.h"

#include <csignal>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>

namespace adassl::bench {
namespace {

constexpr int kSeconds = 60;

TEST(InChild, GivesTheNumber) {
  const FromChild found = in_child([] { return 2.5; }, kSeconds);
  ASSERT_TRUE(found.number.has_value());
  EXPECT_EQ(*found.number, 2.5);
  EXPECT_EQ(found.failure, "");
}

TEST(InChild, SaysHowTheChildDied) {
  const auto die = [] {
    raise(SIGILL);
    return 1.0;
  };
  const FromChild found = in_child(die, kSeconds);
  EXPECT_FALSE(found.number.has_value());
  EXPECT_EQ(found.failure, "crashed (Illegal instruction)");
}

TEST(InChild, EndsAChildThatTakesTooLong) {
  const auto wait = [] {
    for (;;) pause();
    return 1.0;
  };
  const FromChild found = in_child(wait, 1);
  EXPECT_FALSE(found.number.has_value());
  EXPECT_EQ(found.failure, "took longer than 1 s");
}

TEST(InChild, HandsOnTheFirstLineOfAnException) {
  const auto fail = []() -> double { throw std::runtime_error("no such kernel\nframe 1"); };
  const FromChild found = in_child(fail, kSeconds);
  EXPECT_FALSE(found.number.has_value());
  EXPECT_EQ(found.failure, "no such kernel");
}

}  // namespace
}  // namespace adassl::bench
