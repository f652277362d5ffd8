#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "adassl/core/random.h"
#include "adassl/storage/safetensors.h"
#include "cli/program.h"
#include "support/small_sets.h"
#include "support/temporary_directory.h"

/// Runs with a residual network that are killed and resumed.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr size_t kSteps = 60;

const char* const kConfig = R"(
method = "adassl-v"
[data]
kind = "files"
[samples]
kind = "images"
index = "none"
path = "pictures"
[pairing]
kind = "group"
[views]
kind = "weak"
size = 16
[encoder]
kind = "resnet"
width = 8
projector = [16]
out = 8
mean = [0.4]
deviation = [0.3]
[latent]
hidden = [16]
[train]
batch = 8
log_every = 1
checkpoint_every = 5
probe_every = 0
[evaluate]
suites = []
watch = []
)";

/// A folder with pictures and a configuration; programs are run in it.
class ResNetRun : public ::testing::Test {
 protected:
  ResNetRun() {
    for (int i = 0; i < 40; ++i) {  // five groups of one hue each
      storage::Image image = canvas(16, 16, hue(i / 8 / 5.0));
      disc(image, i % 8 + 4, i % 5 + 5, 3 + i % 3, hue(i / 40.0, 0.7));
      const fs::path group = folder_ / "pictures" / std::to_string(i / 8);
      fs::create_directories(group);
      put(group / (std::to_string(i % 8) + ".png"), storage::encode_png(image));
    }
    put(folder_ / "run.toml", kConfig);
  }

  std::vector<std::string> train(const std::string& run,
                                 const std::vector<std::string>& overrides) const {
    std::vector<std::string> out = {"train", "run.toml", "--run", run,
                                    "train.steps=" + std::to_string(kSteps)};
    out.insert(out.end(), overrides.begin(), overrides.end());
    return out;
  }
  /// Trains without disturbance.
  void finish(const std::string& run, const std::vector<std::string>& overrides) const {
    const Result result = run_program(train(run, overrides), folder_.path());
    ASSERT_EQ(result.code, 0) << result.err;
  }
  fs::path metrics(const std::string& run) const { return folder_ / run / "metrics.jsonl"; }
  std::string checkpoint(const std::string& run) const {
    std::string number = std::to_string(kSteps);
    number.insert(0, 13 - number.size(), '0');
    return bytes_of(folder_ / run / "checkpoints" / ("step-" + number + ".safetensors"));
  }

  /// Starts a run, kills it three times, each time after some more steps, and resumes it with the
  /// arguments.
  void disturb(const std::string& run, const std::vector<std::string>& overrides,
               const std::vector<std::string>& when_resumed) const {
    random::Sequence draws = random::Stream(1, "kills").at(0);
    pid_t process = start_program(train(run, overrides), folder_.path());
    for (int i = 0; i < 3; ++i) {
      while (!fs::exists(metrics(run))) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const size_t target = lines_in(metrics(run)) + 1 + draws.below(12);
      wait_for_lines(metrics(run), target, process);
      kill(process, SIGKILL);
      ASSERT_EQ(wait_for(process), 128 + SIGKILL) << "kill " << i << " came too late";
      std::vector<std::string> resume = {"resume", run};
      resume.insert(resume.end(), when_resumed.begin(), when_resumed.end());
      process = start_program(resume, folder_.path());
    }
    ASSERT_EQ(wait_for(process), 0);
  }
  void expect_equal_runs(const std::string& one, const std::string& other) const {
    EXPECT_EQ(lines_in(metrics(one)), kSteps);
    EXPECT_TRUE(bytes_of(metrics(one)) == bytes_of(metrics(other)));
    ASSERT_FALSE(checkpoint(one).empty());
    EXPECT_TRUE(checkpoint(one) == checkpoint(other));
  }
  static bool trains_in_bf16() {
    return json::parse(run_program({"info", "--json"}).out)["bf16_products"] != "none";
  }

  TemporaryDirectory folder_;
};

TEST_F(ResNetRun, KilledInFloat32EqualsTheUndisturbedRunForAnyNumberOfThreads) {
  const std::vector<std::string> settings = {"compute.threads=1"};
  finish("whole", settings);
  disturb("killed", settings, {"--threads", "2"});
  expect_equal_runs("killed", "whole");
}

TEST_F(ResNetRun, KilledInBfloat16EqualsTheUndisturbedRunForAnyNumberOfThreads) {
  if (!trains_in_bf16()) GTEST_SKIP() << "convolutions are LibTorch's here";
  const std::vector<std::string> settings = {"compute.precision=bf16", "compute.threads=1"};
  finish("whole", settings);
  disturb("killed", settings, {"--threads", "2"});
  expect_equal_runs("killed", "whole");
}

/// A run that begins with the weights of another one normalises images as that one did.
TEST_F(ResNetRun, StartsFromAnotherRunAndIsWarnedWhereNormalisationIsUnknown) {
  const std::vector<std::string> short_run = {"train.steps=2", "compute.threads=1"};
  finish("first", short_run);
  const auto start = [&](const std::string& run, const std::string& weights) {
    std::string config = kConfig;
    for (const std::string line : {"mean = [0.4]\n", "deviation = [0.3]\n"}) {
      config.erase(config.find(line), line.size());
    }
    put(folder_ / "silent.toml", config);
    return run_program({"train", "silent.toml", "--run", run, "train.steps=2", "compute.threads=1",
                        "encoder.stem=small", "encoder.init_from=" + weights},
                       folder_.path());
  };
  const Result told = start("second", "first/encoder.safetensors");
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.err, ::testing::Not(HasSubstr("normalised")));
  EXPECT_THAT(bytes_of(folder_ / "second" / "log.txt"),
              HasSubstr("normalised with mean and deviation from first/encoder.safetensors"));

  const auto exported = storage::Safetensors::read(folder_ / "first" / "encoder.safetensors");
  std::vector<storage::TensorView> views;
  for (const std::string& name : exported.names()) {
    if (name != "mean" && name != "deviation") views.push_back(exported.at(name));
  }
  storage::write_safetensors(folder_ / "bare.safetensors", views, {});
  const Result warned = start("third", "bare.safetensors");
  ASSERT_EQ(warned.code, 0) << warned.err;
  EXPECT_THAT(warned.err,
              HasSubstr("warning: neither the configuration nor bare.safetensors says how images"));
}

}  // namespace
}  // namespace adassl::testing
