#include <chrono>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "cli/program.h"
#include "support/temporary_directory.h"
#include "trust/process.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

void append(const fs::path& path, const std::string& text) { put(path, bytes_of(path) + text); }

/// Limits the size of files that this process and its children write, during its lifetime.
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
  wait_for_lines(run / "metrics.jsonl", 30, process);
  kill(process, SIGHUP);
  EXPECT_EQ(wait_for(process), 128 + SIGHUP);
  EXPECT_THAT(bytes_of(run / "log.txt"), HasSubstr("signal 1: saving at step"));
  EXPECT_FALSE(fs::is_empty(run / "checkpoints"));
}

TEST(Faults, AFileThatMayNotGrowIsToldAndTheRunGoesOnLater) {
  const TemporaryDirectory folder;
  const fs::path plain = folder.path() / "plain";
  const fs::path limited = folder.path() / "limited";
  ASSERT_EQ(run_program(small_train(plain)).code, 0);
  Result result;
  {
    const FileSizeLimit limit(64 << 10);  // less than a checkpoint
    result = run_program(small_train(limited));
  }
  EXPECT_EQ(result.code, 1) << "and not signal " << SIGXFSZ;
  EXPECT_THAT(result.err, HasSubstr("File too large; no checkpoint at step 20"));
  EXPECT_THAT(result.err, HasSubstr("the last checkpoint, of step 20, could not be saved"));
  EXPECT_EQ(run_program({"resume", limited.string()}).code, 0);
  EXPECT_EQ(bytes_of(limited / "metrics.jsonl"), bytes_of(plain / "metrics.jsonl"));
  EXPECT_EQ(bytes_of(limited / "encoder.safetensors"), bytes_of(plain / "encoder.safetensors"));
}

/// A run that was stopped, and saved itself, after at least 50 steps, with a line of metrics each.
void stopped_run(const fs::path& run) {
  const pid_t process = start_program(small_train(
      run, {"train.steps=100000", "train.log_every=1", "train.checkpoint_every=90000"}));
  wait_for_lines(run / "metrics.jsonl", 50, process);
  kill(process, SIGTERM);
  ASSERT_EQ(wait_for(process), 128 + SIGTERM);
}

/// Resumes a run and stops it again at once.
Result resume_and_stop(const fs::path& run, const fs::path& errors) {
  const pid_t process = start_program({"resume", run.string()}, ".", errors);
  while (bytes_of(run / "log.txt").find("resumed at step") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(process, SIGTERM);
  Result result;
  result.code = wait_for(process);
  result.err = bytes_of(errors);
  return result;
}

TEST(Faults, MetricsThatDoNotFitTheCheckpointAreTold) {
  const std::string told = "metrics.jsonl] is not what it was at step ";
  for (const std::string change : {"none", "shortened", "emptied", "deleted", "a digit"}) {
    const TemporaryDirectory folder;
    const fs::path run = folder.path() / "run";
    stopped_run(run);
    const fs::path metrics = run / "metrics.jsonl";
    std::string bytes = bytes_of(metrics);
    if (change == "shortened") put(metrics, bytes.substr(0, bytes.find('\n', 500) + 1));
    if (change == "emptied") put(metrics, "");
    if (change == "deleted") fs::remove(metrics);
    if (change == "a digit") {
      const size_t at = bytes.find("\"loss\":") + 8;
      bytes[at] = bytes[at] == '9' ? '8' : '9';
      put(metrics, bytes);
    }
    const Result result = resume_and_stop(run, folder.path() / "err");
    EXPECT_EQ(result.code, 128 + SIGTERM) << result.err;
    if (change == "none") {
      EXPECT_THAT(result.err, Not(HasSubstr(told)));
    } else {
      EXPECT_THAT(result.err, HasSubstr(told)) << change;
    }
  }
}

TEST(Faults, AConfigurationEditedBeforeTheFirstCheckpointIsRefused) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const pid_t process = start_program(small_train(run, {"train.steps=100000"}));
  wait_for_lines(run / "metrics.jsonl", 1, process);
  kill(process, SIGKILL);
  wait_for(process);
  fs::remove_all(run / "checkpoints");
  std::string config = bytes_of(run / "config.toml");
  const size_t at = config.find("tau = 0.1");
  ASSERT_NE(at, std::string::npos);
  put(run / "config.toml", config.replace(at, 9, "tau = 0.2"));
  const Result result = run_program({"resume", run.string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("config.toml] was changed"));
}

TEST(Faults, ARunKilledBeforeItsFirstCheckpointIsResumedWithoutAWarning) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const pid_t process =
      start_program(small_train(run, {"train.steps=100000", "train.checkpoint_every=90000"}));
  wait_for_lines(run / "metrics.jsonl", 1, process);
  kill(process, SIGKILL);
  wait_for(process);
  const Result result = resume_and_stop(run, folder.path() / "err");
  EXPECT_EQ(result.code, 128 + SIGTERM);
  EXPECT_THAT(result.err, Not(HasSubstr("warning: ")));
}

TEST(Faults, ResumingOnOtherInstructionsIsToldInOneLine) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  stopped_run(run);
  const Environment elsewhere("ADASSL_SIMD", "baseline");
  const Result result = resume_and_stop(run, folder.path() / "err");
  EXPECT_EQ(result.code, 128 + SIGTERM) << result.err;
  EXPECT_THAT(result.err, HasSubstr("computed this run; from here on adassl"));
  EXPECT_THAT(result.err, HasSubstr("fused baseline"));
}

TEST(Faults, AStudyCannotWriteOutsideOfItsFolder) {
  const TemporaryDirectory folder;
  const std::string good =
      "name = \"small\"\n[budgets]\nquick = {steps = 2, seeds = 1}\n"
      "[[columns]]\nmetric = \"r2_pz\"\n[[rows]]\nname = \"row\"\nconfig = \"a.toml\"\n";
  for (const auto& [old, by] :
       {std::pair("\"small\"", "\"../small\""), std::pair("\"small\"", "\"/small\""),
        std::pair("\"row\"", "\"..\""), std::pair("\"row\"", "\"a/b\""),
        std::pair("[budgets]", "runs = \"..\"\n[budgets]")}) {
    std::string text = good;
    put(folder / "study.toml", text.replace(text.find(old), std::string(old).size(), by));
    const Result result = run_program(
        {"reproduce", (folder / "study.toml").string(), "--out", (folder / "out").string()});
    EXPECT_EQ(result.code, 2) << by;
    EXPECT_THAT(result.err, HasSubstr("expected a name that can be a folder's")) << by;
    EXPECT_FALSE(fs::exists(folder / "out"));
  }
}

TEST(Faults, ALinkInARunIsNotWrittenThrough) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  stopped_run(run);
  put(folder / "foreign", "somebody's");
  fs::remove(run / "log.txt");
  fs::create_symlink(folder / "foreign", run / "log.txt");
  const Result result = run_program({"resume", run.string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("log.txt] is a symbolic link"));
  EXPECT_EQ(bytes_of(folder / "foreign"), "somebody's");
}

TEST(Faults, ANewRunIsNotWrittenThroughALinkEither) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  fs::create_directories(run);
  fs::create_directories(folder / "elsewhere");
  fs::create_directory_symlink(folder / "elsewhere", run / "checkpoints");
  const Result result = run_program(small_train(run));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("checkpoints] is a symbolic link"));
  EXPECT_TRUE(fs::is_empty(folder / "elsewhere"));
}

TEST(Faults, OnlyOneProcessWritesARunWhateverIsDeleted) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const pid_t process = start_program(small_train(run, {"train.steps=100000"}));
  wait_for_lines(run / "metrics.jsonl", 1, process);
  fs::remove(run / "lock");
  const Result second = run_program({"resume", run.string()});
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("is in use by another process"));
  kill(process, SIGKILL);
  wait_for(process);
}

TEST(Faults, AFailureOfTheDiskIsNotAUsersMistake) {
  const TemporaryDirectory folder;
  const FileSizeLimit limit(1000);  // less than config.toml
  const Result result = run_program(small_train(folder.path() / "run"));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot be written: File too large"));
}

TEST(Faults, AProcessThatCannotBeStartedIsNotAUsersMistakeEither) {
  const TemporaryDirectory folder;
  const trust::WithFault fault({"fork", 1, "EAGAIN", ""}, folder.path(), folder / "counters");
  const Result result = run_program(small_train(folder / "run"));
  if (trust::read_counters(folder / "counters").fired == 0) GTEST_SKIP() << "nothing is tried here";
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("Resource temporarily unavailable"));
}

}  // namespace
}  // namespace adassl::testing
