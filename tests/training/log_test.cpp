#include "adassl/training/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace adassl::training {
namespace {

using testing::contents;
using testing::TemporaryDirectory;

TEST(Log, TellsARepeatedWarningLessAndLessOften) {
  const TemporaryDirectory folder;
  Log log(folder / "log.txt");
  for (int step = 1; step <= 100; ++step) log.warn("no checkpoint at step " + std::to_string(step));
  log.warn("another matter");
  const std::string text = contents(folder / "log.txt");
  for (const char* told : {"step 1\n", "step 2 (occurred 2 times so far)\n", "step 4 (", "step 8 (",
                           "step 16 (", "step 32 (", "step 64 (", "warning: another matter\n"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(told));
  }
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
}

TEST(Log, ThatCannotBeWrittenStopsNobody) {
  Log log("/nowhere/log.txt");
  EXPECT_NO_THROW(log.say("unheard"));
}

}  // namespace
}  // namespace adassl::training
