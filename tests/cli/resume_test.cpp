#include <chrono>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "adassl/core/random.h"
#include "cli/program.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSteps = 8000;

std::vector<std::string> long_run(const fs::path& run) {
  return small_train(run, {"train.steps=" + std::to_string(kSteps), "train.log_every=1",
                           "train.probe_every=500", "train.checkpoint_every=20"});
}

fs::path newest_checkpoint(const fs::path& run) {
  fs::path newest;
  for (const auto& item : fs::directory_iterator(run / "checkpoints")) {
    const bool whole = item.path().extension() == ".safetensors";
    if (whole && item.path().filename() > newest.filename()) newest = item.path();
  }
  return newest;
}

/// An uninterrupted run, made once for all tests of this file.
const fs::path& undisturbed() {
  static const TemporaryDirectory folder;
  static const fs::path run = [] {
    const fs::path path = folder.path() / "whole";
    const Result result = run_program(long_run(path));
    EXPECT_EQ(result.code, 0) << result.err;
    return path;
  }();
  return run;
}

void expect_same_bytes(const fs::path& run) {
  EXPECT_EQ(lines_in(run / "metrics.jsonl"), static_cast<size_t>(kSteps) + 1) << "with line 0";
  EXPECT_TRUE(bytes_of(run / "metrics.jsonl") == bytes_of(undisturbed() / "metrics.jsonl"));
  EXPECT_TRUE(bytes_of(run / "encoder.safetensors") ==
              bytes_of(undisturbed() / "encoder.safetensors"));
  EXPECT_EQ(newest_checkpoint(run).filename(), newest_checkpoint(undisturbed()).filename());
  EXPECT_TRUE(bytes_of(newest_checkpoint(run)) == bytes_of(newest_checkpoint(undisturbed())));
}

void sleep_milliseconds(int64_t count) {
  std::this_thread::sleep_for(std::chrono::milliseconds(count));
}

/// Waits until the run has logged so many further steps, or has ended.
void wait_for_steps(const fs::path& run, size_t further, pid_t process) {
  wait_for_lines(run / "metrics.jsonl", lines_in(run / "metrics.jsonl") + further, process);
}

TEST(Resume, AfterTwentyFourKillsEqualsTheUndisturbedRunInEveryByte) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "killed";
  random::Sequence draws = random::Stream(1, "kills").at(0);
  pid_t process = start_program(long_run(run));
  for (int i = 0; i < 24; ++i) {
    // At most 200 further steps each, so that 24 kills do not reach the end. Every third kill comes
    // at a random time within the first 0.4 s, so that it may hit start-up and loading, too.
    if (i % 3 == 2) {
      sleep_milliseconds(static_cast<int64_t>(draws.below(400)));
    } else {
      while (!fs::exists(run / "config.toml")) sleep_milliseconds(5);
      wait_for_steps(run, 1 + draws.below(200), process);
    }
    kill(process, SIGKILL);
    ASSERT_EQ(wait_for(process), 128 + SIGKILL) << "kill " << i << " came too late";
    process = start_program(fs::exists(run / "config.toml")
                                ? std::vector<std::string>{"resume", run.string()}
                                : long_run(run));
  }
  ASSERT_EQ(wait_for(process), 0);
  expect_same_bytes(run);
}

TEST(Resume, FallsBackFromADamagedCheckpointAndEndsInTheSameBytes) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "damaged";
  const pid_t process = start_program(long_run(run));
  while (!fs::exists(run / "metrics.jsonl")) sleep_milliseconds(5);
  wait_for_steps(run, 300, process);
  kill(process, SIGKILL);
  ASSERT_EQ(wait_for(process), 128 + SIGKILL);
  const fs::path newest = newest_checkpoint(run);
  std::string bytes = bytes_of(newest);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  std::ofstream(newest, std::ios::binary) << bytes;
  const Result result = run_program({"resume", run.string()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, ::testing::HasSubstr(newest.filename().string()));
  EXPECT_THAT(result.err, ::testing::HasSubstr("passed over"));
  expect_same_bytes(run);
}

TEST(Resume, AfterASignalThatWasObeyedEqualsTheUndisturbedRun) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "stopped";
  pid_t process = start_program(long_run(run));
  for (const int signal : {SIGINT, SIGTERM}) {
    while (!fs::exists(run / "metrics.jsonl")) sleep_milliseconds(5);
    wait_for_steps(run, 100, process);
    kill(process, signal);
    kill(process, signal);  // as make and timeout do: to the process, and to its group
    EXPECT_EQ(wait_for(process), 128 + signal);
    // The run was saved where it stopped: the last logged step has a checkpoint.
    const std::string metrics = bytes_of(run / "metrics.jsonl");
    const size_t last = metrics.rfind("{\"step\":");
    const std::string step = std::to_string(std::stoll(metrics.substr(last + 8)));
    EXPECT_EQ(newest_checkpoint(run).filename(),
              "step-" + std::string(13 - step.size(), '0') + step + ".safetensors");
    process = start_program({"resume", run.string()});
  }
  ASSERT_EQ(wait_for(process), 0);
  expect_same_bytes(run);
}

TEST(Resume, OfAFinishedRunSaysSoAndChangesNothing) {
  const std::string records = bytes_of(undisturbed() / "records.jsonl");
  const Result result = run_program({"resume", undisturbed().string()});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out,
              ::testing::HasSubstr("is finished (8000 steps); there is nothing to resume"));
  EXPECT_EQ(bytes_of(undisturbed() / "records.jsonl"), records);
}

TEST(Resume, RefusesAChangedConfiguration) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const pid_t process = start_program(long_run(run));
  while (!fs::exists(run / "metrics.jsonl")) sleep_milliseconds(5);
  wait_for_steps(run, 60, process);
  kill(process, SIGTERM);
  ASSERT_EQ(wait_for(process), 143);
  std::string config = bytes_of(run / "config.toml");
  const size_t at = config.find("tau = 0.1");
  ASSERT_NE(at, std::string::npos);
  std::ofstream(run / "config.toml") << config.replace(at, 9, "tau = 0.2");
  const std::string metrics = bytes_of(run / "metrics.jsonl");
  const Result result = run_program({"resume", run.string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, ::testing::HasSubstr("config.toml] was changed"));
  EXPECT_EQ(bytes_of(run / "metrics.jsonl"), metrics);
}

}  // namespace
}  // namespace adassl::testing
