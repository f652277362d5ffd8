#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/program.h"
#include "render/small_pot.h"
#include "support/temporary_directory.h"

/// `adassl data render teapots`, with a pot that needs no download.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DataRender : public ::testing::Test {
 protected:
  DataRender() { put(folder_ / "pot.obj", small_pot()); }

  std::vector<std::string> command(const std::vector<std::string>& more) const {
    std::vector<std::string> out = {"data", "render", "teapots"};
    if (std::ranges::find(more, "--mesh") == more.end()) {
      out.insert(out.end(), {"--mesh", "pot.obj"});
    }
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  Result render(const std::vector<std::string>& more) const {
    return run_program(command(more), folder_.path());
  }
  void expect_mistake(const std::vector<std::string>& more, const std::string& message) const {
    const Result result = render(more);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  const TemporaryDirectory folder_;
};

TEST_F(DataRender, FillsAFolderOnce) {
  const std::vector<std::string> options = {"--out",  "out", "--count",   "12", "--test-count", "3",
                                            "--size", "16",  "--threads", "2"};
  const Result first = render(options);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out,
              HasSubstr("out: 12 training and 3 test images of 16x16 pixels, 15 rendered"));
  EXPECT_TRUE(fs::exists(folder_ / "out/train/images/11.png"));
  EXPECT_TRUE(fs::exists(folder_ / "out/test/latents.npy"));
  EXPECT_THAT(render(options).out, HasSubstr("all in place"));
  const Result inspected = run_program({"data", "inspect", "out/factors.csv"}, folder_.path());
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_THAT(inspected.out, HasSubstr("spot_angle"));
}

TEST_F(DataRender, ContinuesAfterAKill) {
  const std::vector<std::string> options = {"--count", "1500", "--test-count", "0",
                                            "--size",  "16",   "--samples",    "12"};
  const auto with_out = [&](const std::string& out, const std::string& threads) {
    auto all = options;
    all.insert(all.end(), {"--out", out, "--threads", threads});
    return all;
  };
  const pid_t process = start_program(command(with_out("killed", "1")), folder_.path());
  while (!fs::exists(folder_ / "killed/train/images/0200.png")) usleep(1000);
  kill(process, SIGKILL);
  EXPECT_EQ(wait_for(process), 128 + SIGKILL);
  EXPECT_FALSE(fs::exists(folder_ / "killed/train/images/1499.png"));
  EXPECT_EQ(render(with_out("killed", "2")).code, 0);
  EXPECT_EQ(render(with_out("whole", "1")).code, 0);
  int64_t compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "whole")) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = fs::relative(entry.path(), folder_ / "whole");
    ASSERT_EQ(contents(entry.path()), contents(folder_ / "killed" / name)) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 1500 + 4);
}

TEST_F(DataRender, WritesACacheOrASheet) {
  const Result cache = render({"--cache", "pots.cache", "--count", "5", "--test-count", "1"});
  EXPECT_EQ(cache.code, 0) << cache.err;
  EXPECT_GT(fs::file_size(folder_ / "pots.cache"), 6 * 64 * 64 * 3);
  const Result sheet = render({"--sheet", "sheet.png", "--size", "8", "--columns", "3"});
  EXPECT_EQ(sheet.code, 0) << sheet.err;
  EXPECT_THAT(sheet.out, HasSubstr("3 values of each factor, from -1 to 1 (28x98 pixels)"));
}

TEST_F(DataRender, NamesMistakes) {
  expect_mistake({}, "[data render] expected one of --out, --cache and --sheet, got 0");
  expect_mistake({"--out", "a", "--cache", "b"}, "got 2");
  expect_mistake({"--out", "a", "--mesh", "none.obj"}, "got no file none.obj: 'bash scripts/setup");
  expect_mistake({"--out", "a", "--count", "0"}, "[render] count: expected 1 to 100000000, got 0");
  expect_mistake({"--out", "a", "--size", "1"}, "[render] size: expected 4 to 4096, got 1");
  expect_mistake({"--out", "a", "--samples", "0"}, "[render] samples: expected 1 to");
  expect_mistake({"--out", "a", "--shadow-rays", "0"}, "[render] shadow-rays: expected 1 to");
  expect_mistake({"--out", "a", "--threads", "-1"}, "[data render] threads: expected 0 to");
  expect_mistake({"--out", "a", "--count", "many"}, "--count");
  expect_mistake({"--sheet", "a.png", "--columns", "1"}, "[render] columns: expected 2 to 64");
  put(folder_ / "bad.obj", "v 0 0\n");
  expect_mistake({"--out", "a", "--mesh", "bad.obj"}, "[bad.obj:1] expected three coordinates");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

}  // namespace
}  // namespace adassl::testing
