#include <deque>

#include <gtest/gtest.h>

#include "adassl/kernels/threads.h"
#include "adassl/storage/file.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"
#include "training/small_run.h"

/// Kernels, precision and threads belong to an experiment, not to the process: experiments that
/// compute differently do not notice each other.
namespace adassl::training {
namespace {

using testing::SmallRun;

constexpr int64_t kSteps = 6;

/// Wide networks with ReLU, which have a path in bfloat16 where the machine gains by it.
std::vector<std::string> overrides_with(const std::vector<std::string>& compute) {
  std::vector<std::string> overrides = {"train.batch=64", "encoder.hidden=[512]",
                                        "encoder.slope=0.0", "latent.hidden=[512]",
                                        "latent.slope=0.0"};
  overrides.insert(overrides.end(), compute.begin(), compute.end());
  return overrides;
}

const std::vector<std::vector<std::string>> kComputations = {
    {"compute.precision=bf16", "compute.threads=1"},
    {"compute.precision=fp32", "compute.threads=2"},
    {"compute.kernels=reference", "compute.threads=1"}};

class StopAt final : public Observer {
 public:
  explicit StopAt(int64_t step) : step_(step) {}
  Flow on_step(const StepReport& report) override {
    return report.step == step_ ? Flow::kStop : Flow::kContinue;
  }

 private:
  int64_t step_;
};

std::string state_of(const SmallRun& run) {
  const testing::TemporaryDirectory folder;
  return storage::read_file(save_checkpoint(run.state, folder.path(), {"hash"}, 1), 1 << 26);
}

TEST(ExperimentsInOneProcess, TrainInTurnsToTheBitsThatTheyReachAlone) {
  std::vector<std::string> alone;
  for (const auto& computation : kComputations) {
    SmallRun run("adassl-v", kSteps, overrides_with(computation));
    run.train();
    alone.push_back(state_of(run));
  }
  std::deque<SmallRun> together;
  for (const auto& computation : kComputations) {
    together.emplace_back("adassl-v", kSteps, overrides_with(computation));
  }
  for (int64_t step = 1; step <= kSteps; ++step) {
    for (SmallRun& run : together) run.train({std::make_shared<StopAt>(step)});
  }
  for (size_t i = 0; i < together.size(); ++i) {
    EXPECT_EQ(together[i].state.step, kSteps);
    EXPECT_TRUE(state_of(together[i]) == alone[i]) << i;
  }
  EXPECT_FALSE(alone[1] == alone[2]) << "both would be the same computation";
  kernels::set_threads(1);
}

TEST(ComputeDevice, IsRefusedInOneLineWhereLibTorchLacksIt) {
  if (at::hasCUDA()) GTEST_SKIP() << "this LibTorch has CUDA";
  EXPECT_EQ(testing::error_of([] { SmallRun("adassl-v", 1, {"compute.device=cuda"}); }),
            "[compute] device: expected cpu, since this LibTorch has no CUDA, got 'cuda'");
}

}  // namespace
}  // namespace adassl::training
