#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "adassl/core/random.h"
#include "cli/program.h"
#include "support/small_mnist.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kSteps = 240;

/// AdaSSL-V with distillation on clips: a target network with its own BatchNorm statistics, a
/// falling learning rate, and convolutions and wide networks by LibTorch or, in bfloat16, by our
/// own kernels.
std::vector<std::string> video_run(const fs::path& run, const fs::path& digits,
                                   const std::string& precision, size_t steps = kSteps) {
  return {"train",
          std::string(ADASSL_SOURCE_DIR) + "/configs/video-a-adassl-v.toml",
          "--run",
          run.string(),
          "data.folder=" + digits.string(),
          "data.validation=10",
          "encoder.channels=[2,4,4,4,8]",
          "encoder.projector=[16]",
          "encoder.out=8",
          "latent.hidden=[512]",
          "objective.hidden=[512]",
          "optimizer.learning_rate=1e-3",
          "optimizer.warmup_steps=20",
          "train.steps=" + std::to_string(steps),
          "train.batch=8",
          "train.log_every=1",
          "train.probe_every=40",
          "train.checkpoint_every=10",
          "evaluate.suites=[\"probes\"]",
          "evaluate.watch_pairs=16",
          "evaluate.probe_samples=32",
          "evaluate.probes.train_samples=32",
          "evaluate.probes.test_samples=32",
          "compute.precision=" + precision,
          "compute.threads=2"};
}

fs::path checkpoint(const fs::path& run, size_t step) {
  std::string number = std::to_string(step);
  number.insert(0, 13 - number.size(), '0');
  return run / "checkpoints" / ("step-" + number + ".safetensors");
}

std::string checkpoint_bytes(const fs::path& run, size_t step = kSteps) {
  return bytes_of(checkpoint(run, step));
}

class ResumeOfADistilledVideoModel : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(In, ResumeOfADistilledVideoModel, ::testing::Values("fp32", "bf16"),
                         [](const auto& of) { return of.param; });

TEST_P(ResumeOfADistilledVideoModel, AfterKillsEqualsTheUndisturbedRunInEveryByte) {
  const TemporaryDirectory folder;
  const fs::path digits = folder.path() / "digits";
  write_small_mnist(digits);
  const fs::path whole = folder.path() / "whole";
  const Result undisturbed = run_program(video_run(whole, digits, GetParam()));
  ASSERT_EQ(undisturbed.code, 0) << undisturbed.err;

  const fs::path run = folder.path() / "killed";
  random::Sequence draws = random::Stream(1, "kills").at(0);
  pid_t process = start_program(video_run(run, digits, GetParam()));
  for (int i = 0; i < 5; ++i) {
    // At most 40 further steps each: five kills cannot reach the end.
    while (!fs::exists(run / "metrics.jsonl")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const size_t target = lines_in(run / "metrics.jsonl") + 1 + draws.below(40);
    wait_for_lines(run / "metrics.jsonl", target, process);
    kill(process, SIGKILL);
    ASSERT_EQ(wait_for(process), 128 + SIGKILL) << "kill " << i << " came too late";
    process = start_program({"resume", run.string()});
  }
  ASSERT_EQ(wait_for(process), 0);
  EXPECT_EQ(lines_in(run / "metrics.jsonl"), kSteps + 1) << "with line 0";
  EXPECT_TRUE(bytes_of(run / "metrics.jsonl") == bytes_of(whole / "metrics.jsonl"));
  // Weights, moments, the target network and every BatchNorm's running statistics.
  ASSERT_FALSE(checkpoint_bytes(whole).empty());
  EXPECT_TRUE(checkpoint_bytes(run) == checkpoint_bytes(whole));
}

/// Trains and resumes with each instruction set, as on machines that have no larger one.
TEST(ResumeInBfloat16, IsExactOnEveryInstructionSet) {
  const TemporaryDirectory folder;
  const fs::path digits = folder.path() / "digits";
  write_small_mnist(digits);
  const json sets = json::parse(run_program({"info", "--json"}).out)["simd_available"];
  ASSERT_FALSE(sets.empty());
  for (const std::string set : sets) {
    const Environment limited("ADASSL_SIMD", set);
    const fs::path run = folder.path() / set;
    const Result whole = run_program(video_run(run, digits, "bf16", 20));
    ASSERT_EQ(whole.code, 0) << whole.err;
    EXPECT_THAT(bytes_of(run / "log.txt"), ::testing::HasSubstr("fused " + set + " kernels"));
    const std::string weights = checkpoint_bytes(run, 20);
    const std::string metrics = bytes_of(run / "metrics.jsonl");
    ASSERT_FALSE(weights.empty());
    for (const fs::path& lost :
         {checkpoint(run, 20), run / "encoder.safetensors", run / "records.jsonl"}) {
      ASSERT_TRUE(fs::remove(lost));
    }
    ASSERT_EQ(run_program({"resume", run.string()}).code, 0);
    EXPECT_THAT(bytes_of(run / "log.txt"), ::testing::HasSubstr("resumed at step 10"));
    EXPECT_TRUE(checkpoint_bytes(run, 20) == weights) << set;
    EXPECT_TRUE(bytes_of(run / "metrics.jsonl") == metrics) << set;
  }
}

}  // namespace
}  // namespace adassl::testing
