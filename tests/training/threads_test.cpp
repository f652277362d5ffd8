#include "adassl/kernels/threads.h"

#include <gtest/gtest.h>

#include "adassl/storage/file.h"
#include "support/temporary_directory.h"
#include "training/small_run.h"

/// compute.kernels = "fused" promises the same bits for any number of threads.
namespace adassl::training {
namespace {

using testing::SmallRun;
using testing::TemporaryDirectory;

constexpr int64_t kSteps = 20;

/// Parameters, both moments and every buffer, and what was logged.
struct Trained {
  std::string checkpoint;
  std::vector<Terms> terms;
  bool operator==(const Trained&) const = default;
};

class Recorder final : public Observer {
 public:
  Flow on_step(const StepReport& report) override {
    terms.push_back(report.terms);
    return Flow::kContinue;
  }
  std::vector<Terms> terms;
};

/// A batch of several blocks and a ragged one, so that there is work to share.
SmallRun small_run(const std::string& method, int threads) {
  return SmallRun(
      method, kSteps,
      {"train.batch=300", "encoder.hidden=[24, 17]", "compute.threads=" + std::to_string(threads)});
}

Trained finish(SmallRun& run) {
  const TemporaryDirectory folder;
  const auto recorder = std::make_shared<Recorder>();
  run.train({recorder});
  const auto path = save_checkpoint(run.state, folder.path(), "hash", 1);
  return {storage::read_file(path, 1 << 24), recorder->terms};
}

Trained train(const std::string& method, int threads) {
  SmallRun run = small_run(method, threads);
  EXPECT_EQ(kernels::threads(), threads);
  return finish(run);
}

class AnyNumberOfThreads : public ::testing::TestWithParam<std::string> {
 protected:
  void TearDown() override { kernels::set_threads(1); }
};

INSTANTIATE_TEST_SUITE_P(Methods, AnyNumberOfThreads,
                         ::testing::Values("adassl-v", "adassl-s", "hinfonce-mlp", "infonce"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(AnyNumberOfThreads, TrainsToTheSameBits) {
  const Trained first = train(GetParam(), 1);
  EXPECT_EQ(first.terms.size(), static_cast<size_t>(kSteps));
  for (const int threads : {1, 2, 3, 4}) {
    EXPECT_TRUE(train(GetParam(), threads) == first) << threads << " threads";
  }
}

TEST_P(AnyNumberOfThreads, MayResumeWhatAnotherBegan) {
  const Trained whole = train(GetParam(), 2);
  const TemporaryDirectory folder;
  SmallRun begun = small_run(GetParam(), 3);
  begun.experiment.loop.steps = 7;
  begun.train();
  save_checkpoint(begun.state, folder.path(), "hash", 1);
  SmallRun resumed = small_run(GetParam(), 4);
  load_newest_checkpoint(resumed.state, folder.path(), "hash", [](const std::string&) {});
  EXPECT_EQ(resumed.state.step, 7);
  EXPECT_TRUE(finish(resumed).checkpoint == whole.checkpoint);
}

}  // namespace
}  // namespace adassl::training
