#include "adassl/training/status_line.h"

#include <sstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace adassl::training {
namespace {

TEST(StatusLine, IsALineEachWhereThereIsNoTerminal) {
  std::ostringstream out;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  StatusLine line(out, ends[1]);
  line.show("one");
  line.show("two");
  line.close();
  EXPECT_EQ(out.str(), "one\ntwo\n");
  for (const int end : ends) close(end);
}

TEST(StatusLine, IsWrittenOverAndNeverWiderThanTheTerminal) {
  const int controller = posix_openpt(O_RDWR | O_NOCTTY);
  if (controller < 0 || grantpt(controller) != 0 || unlockpt(controller) != 0) {
    GTEST_SKIP() << "no terminal to be had";
  }
  const int terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  const auto set_columns = [&](unsigned short columns) {
    const winsize size{.ws_row = 5, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(ioctl(terminal, TIOCSWINSZ, &size), 0);
  };
  std::ostringstream out;
  StatusLine line(out, terminal);
  EXPECT_TRUE(line.on_terminal());
  set_columns(8);
  line.show("step 12345");
  set_columns(10);
  line.show("step 12346");
  line.close();
  line.close();
  EXPECT_EQ(out.str(), "\r\x1b[Kstep 12…\r\x1b[Kstep 12346\n");
  close(terminal);
  close(controller);
}

}  // namespace
}  // namespace adassl::training
