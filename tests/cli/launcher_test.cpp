
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "cli/program.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Launcher, LinksNeitherLibTorchNorLibav) {
  const Environment only_list("LD_TRACE_LOADED_OBJECTS", "1");  // the loader prints, as ldd does
  const Result result = run_program({"--version"});
  EXPECT_THAT(result.out, HasSubstr("libstdc++"));
  EXPECT_THAT(result.out, Not(HasSubstr("torch")));
  EXPECT_THAT(result.out, Not(HasSubstr("libav")));
}

TEST(Launcher, AnswersWithoutTheProgramThatHasLibTorch) {
  const TemporaryDirectory folder;
  fs::copy_file(ADASSL_PROGRAM, folder / "adassl");  // alone in its folder
  const auto run = [&](const std::string& arguments) {
    const std::string command =
        (folder / "adassl").string() + " " + arguments + " >" + (folder / "out").string() + " 2>&1";
    const int status = std::system(command.c_str());
    return std::pair(WEXITSTATUS(status), bytes_of(folder / "out"));
  };
  EXPECT_THAT(run("--version").second, HasSubstr("adassl 0."));
  for (const char* command : {"train", "resume", "reproduce", "report", "list"}) {
    EXPECT_THAT(run("--help").second, HasSubstr(command));
  }
  EXPECT_EQ(run("report --markdown " ADASSL_SOURCE_DIR "/results/numerical-identity.jsonl").first,
            0);
  EXPECT_THAT(run("list latents").second, HasSubstr("variational"));
  EXPECT_EQ(run("check " ADASSL_SOURCE_DIR "/configs/video-a-byol.toml").first, 0);
  const auto [code, out] = run("info");
  EXPECT_EQ(code, 1);
  EXPECT_THAT(out, HasSubstr("adassl-main] cannot be started: No such file or directory"));
}

TEST(Launcher, BecomesAProcessOfItsOwnName) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const pid_t process = start_program(small_train(run, {"train.steps=100000"}));
  wait_for_lines(run / "metrics.jsonl", 1, process);
  EXPECT_EQ(bytes_of("/proc/" + std::to_string(process) + "/comm"), "adassl\n");
  kill(process, SIGKILL);
  wait_for(process);
}

}  // namespace
}  // namespace adassl::testing
