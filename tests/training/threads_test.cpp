#include "adassl/kernels/threads.h"

#include <cctype>

#include <gtest/gtest.h>

#include "adassl/nn/compute.h"
#include "adassl/storage/file.h"
#include "support/small_mnist.h"
#include "support/temporary_directory.h"
#include "training/small_run.h"

/// compute.kernels = "fused" promises the same bits for any number of threads.
namespace adassl::training {
namespace {

using testing::SmallRun;
using testing::TemporaryDirectory;

constexpr int64_t kSteps = 20;

/// Parameters, both moments, all buffers and the log.
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

class Stop final : public Observer {
 public:
  explicit Stop(int64_t step) : step_(step) {}
  Flow on_step(const StepReport& report) override {
    return report.step == step_ ? Flow::kStop : Flow::kContinue;
  }

 private:
  int64_t step_;
};

constexpr const char* kVideo = "adassl-v on clips, fp32";
constexpr const char* kVideoInBf16 = "adassl-v on clips, bf16";

/// AdaSSL-V by distillation, with convolutions and wide networks.
SmallRun small_video_run(const std::string& precision, int threads) {
  Config config = Config::from_file(ADASSL_SOURCE_DIR "/configs/video-a-adassl-v.toml");
  for (const std::string& assignment :
       {"data.folder=" + testing::small_mnist(), std::string("data.validation=10"),
        std::string("encoder.channels=[2, 5, 6, 6, 9]"), std::string("encoder.projector=[512]"),
        std::string("encoder.out=8"), std::string("latent.hidden=[512]"),
        std::string("objective.hidden=[512]"), "train.steps=" + std::to_string(kSteps),
        std::string("train.batch=10"), std::string("evaluate.suites=[]"),
        "compute.precision=" + precision, "compute.threads=" + std::to_string(threads)}) {
    config.override_with(assignment);
  }
  return SmallRun(study::build_experiment(std::move(config)));
}

/// A batch of several blocks and a ragged one, so that there is work to share.
SmallRun small_run(const std::string& method, int threads) {
  if (method == kVideo) return small_video_run("fp32", threads);
  if (method == kVideoInBf16) return small_video_run("bf16", threads);
  return SmallRun(
      method, kSteps,
      {"train.batch=300", "encoder.hidden=[24, 17]", "compute.threads=" + std::to_string(threads)});
}

Trained finish(SmallRun& run) {
  const TemporaryDirectory folder;
  const auto recorder = std::make_shared<Recorder>();
  run.train({recorder});
  const auto path = save_checkpoint(run.state, folder.path(), {"hash"}, 1);
  return {storage::read_file(path, 1 << 24), recorder->terms};
}

Trained train(const std::string& method, int threads) {
  SmallRun run = small_run(method, threads);
  EXPECT_EQ(kernels::threads(), threads);
  return finish(run);
}

class AnyNumberOfThreads : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const nn::Compute bf16{.precision = nn::Precision::kBfloat16};
    if (GetParam() == kVideoInBf16 && !bf16.multiplies_in_bf16()) {
      GTEST_SKIP() << "convolutions are in float32 here";
    }
  }
  void TearDown() override { kernels::set_threads(1); }
};

INSTANTIATE_TEST_SUITE_P(Methods, AnyNumberOfThreads,
                         ::testing::Values("adassl-v", "adassl-s", "hinfonce-mlp", "infonce",
                                           kVideo, kVideoInBf16),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
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
  begun.train({std::make_shared<Stop>(7)});
  save_checkpoint(begun.state, folder.path(), {"hash"}, 1);
  SmallRun resumed = small_run(GetParam(), 4);
  load_newest_checkpoint(resumed.state, folder.path(), "hash", [](const std::string&) {});
  EXPECT_EQ(resumed.state.step, 7);
  EXPECT_TRUE(finish(resumed).checkpoint == whole.checkpoint);
}

}  // namespace
}  // namespace adassl::training
