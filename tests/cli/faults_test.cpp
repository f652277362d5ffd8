#include <chrono>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "cli/program.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

void append(const fs::path& path, const std::string& text) { put(path, bytes_of(path) + text); }

/// No file of this process and of those it starts may grow beyond this while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(Faults, ADirectoryWithoutConfigurationIsNotARunAndCanBecomeOne) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  fs::create_directories(run / "checkpoints");
  put(run / "given.toml", "seed = 1\n");  // killed between the two files
  put(run / "lock", "");
  put(run / ".config.toml.123-1.tmp", "met");
  const Result result = run_program(small_train(run));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(fs::exists(run / "report.html"));
}

TEST(Faults, ClosedStandardStreamsDoNotTakeTheRunsFiles) {
  const TemporaryDirectory folder;
  const fs::path plain = folder.path() / "plain";
  const fs::path closed = folder.path() / "closed";
  ASSERT_EQ(run_program(small_train(plain)).code, 0);
  std::string command = ADASSL_PROGRAM;
  for (const std::string& word : small_train(closed)) command += " '" + word + "'";
  EXPECT_EQ(std::system((command + " <&- >&- 2>&-").c_str()), 0);
  EXPECT_EQ(bytes_of(closed / "metrics.jsonl"), bytes_of(plain / "metrics.jsonl"));
  EXPECT_THAT(bytes_of(closed / "log.txt"), Not(HasSubstr("step 1/")));
}

TEST(Faults, AFinishedRunGetsThePageThatItLacks) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  ASSERT_EQ(run_program(small_train(run)).code, 0);
  fs::remove(run / "report.html");  // killed before it was written
  const std::string records = bytes_of(run / "records.jsonl");
  const Result result = run_program({"resume", run.string()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("there is nothing to resume"));
  EXPECT_TRUE(fs::exists(run / "report.html"));
  EXPECT_EQ(bytes_of(run / "records.jsonl"), records);
}

TEST(Faults, BadLinesInLogsDoNotEndARun) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  ASSERT_EQ(run_program(small_train(run)).code, 0);
  append(run / "timing.jsonl", "{\"step\":1,\"seconds\":\"x\"}\n7\n");
  put(run / "records.jsonl",
      "{\"kind\":7}\n{\"kind\":\"evaluation\",\"step\":\"x\"}\nnonsense\n"
      "{\"kind\":\"evaluation\",\"final\":true,\"step\":20,\"metrics\":3}\n");
  fs::remove(run / "encoder.safetensors");  // so that it is evaluated again
  const Result result = run_program({"resume", run.string()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("R²"));
  EXPECT_EQ(run_program({"report", run.string()}).code, 0);
}

TEST(Faults, AClosedTerminalSavesTheRun) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const pid_t process = start_program(small_train(
      run, {"train.steps=100000", "train.log_every=1", "train.checkpoint_every=90000"}));
  while (lines_in(run / "metrics.jsonl") < 30) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(process, SIGHUP);
  EXPECT_EQ(wait_for(process), 128 + SIGHUP);
  EXPECT_THAT(bytes_of(run / "log.txt"), HasSubstr("signal 1: saving at step"));
  EXPECT_FALSE(fs::is_empty(run / "checkpoints"));
}

TEST(Faults, AFileThatMayNotGrowCostsItsCheckpointAndNothingElse) {
  const TemporaryDirectory folder;
  const fs::path plain = folder.path() / "plain";
  const fs::path limited = folder.path() / "limited";
  ASSERT_EQ(run_program(small_train(plain)).code, 0);
  Result result;
  {
    const FileSizeLimit limit(64 << 10);  // less than a checkpoint
    result = run_program(small_train(limited));
  }
  EXPECT_EQ(result.code, 0) << "and not signal " << SIGXFSZ;
  EXPECT_THAT(result.err, HasSubstr("File too large; no checkpoint at step 20"));
  EXPECT_EQ(bytes_of(limited / "metrics.jsonl"), bytes_of(plain / "metrics.jsonl"));
  EXPECT_EQ(bytes_of(limited / "encoder.safetensors"), bytes_of(plain / "encoder.safetensors"));
}

}  // namespace
}  // namespace adassl::testing
