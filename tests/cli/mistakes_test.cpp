#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/temporary_directory.h"

/// A user's mistake gets one clear line and exit code 2, and nothing is lost.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

void expect_mistake(const std::vector<std::string>& arguments, const std::string& message) {
  const Result result = run_program(arguments);
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr(message));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

struct Mistake {
  std::string name;
  std::string override_;
  std::string message;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.override_; }

class TrainMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(TrainMistakes, GetOneLineAndLeaveNoRun) {
  const TemporaryDirectory folder;
  expect_mistake(small_train(folder.path() / "run", {GetParam().override_}), GetParam().message);
  EXPECT_FALSE(fs::exists(folder.path() / "run"));
}

INSTANTIATE_TEST_SUITE_P(
    Each, TrainMistakes,
    ::testing::Values(
        Mistake{"UnknownKey", "train.stepz=5",
                "unknown key 'train.stepz': no chosen part reads it; did you mean 'train.steps'?"},
        Mistake{"KeyOfAnotherSection", "train.learning_rate=1", "mean 'optimizer.learning_rate'?"},
        Mistake{"WrongType", "train.steps=many",
                "train.steps: expected a whole number from 0 to 1e+12, got \"many\""},
        Mistake{"Fraction", "train.steps=1.5", "train.steps: expected a whole number"},
        Mistake{"ZeroSamples", "train.batch=0", "train.batch: expected a whole number from 2 to"},
        Mistake{"OneSample", "train.batch=1", "train.batch: expected a whole number from 2 to"},
        Mistake{"NoEvaluationSamples", "evaluate.regression.test_samples=0",
                "expected a whole number from 32"},
        Mistake{"BatchBeyondMemory", "train.batch=16777216",
                "expected a batch that fits into memory"},
        Mistake{"UnknownMethod", "method=adasl-v", "method: expected one of identity, infonce"},
        Mistake{"UnknownPart", "editor.kind=magic",
                "editor.kind: expected one of none, additive, linear"},
        Mistake{"NegativeTemperature", "objective.tau=-1", "objective.tau: expected a number from"},
        Mistake{"NotANumber", "objective.tau=nan", "objective.tau: expected a number from"},
        Mistake{"ListForNumber", "train.steps=[1, 2]", "train.steps: expected a whole number"},
        Mistake{"UnknownPrecision", "compute.precision=fp16",
                "compute.precision: expected one of fp32, bf16"},
        Mistake{"NumberForList", "encoder.hidden=5", "encoder.hidden: expected a list"},
        Mistake{"NoAssignment", "faster", "expected key=value, got 'faster'"},
        Mistake{"EditorThatDoesNotFit", "editor.kind=additive",
                "expected an r as wide as the embedding (11), got 5; set latent.dim=11"},
        Mistake{"KeyOfAnotherPart", "latent.gates=3", "unknown key 'latent.gates'"}),
    [](const auto& param) { return param.param.name; });

TEST(Mistakes, InFilesAndPaths) {
  const TemporaryDirectory folder;
  const fs::path config = folder.path() / "bad.toml";
  expect_mistake({"train", (folder.path() / "none.toml").string()}, "no such file");
  expect_mistake({"train", folder.path().string()},
                 "expected images (.jpg, .jpeg, .png, .webp), got none");
  std::ofstream(config) << "method = \"infonce\"\n[train\nsteps = 3\n";
  expect_mistake({"train", config.string()}, "bad.toml:2] not valid TOML");
  expect_mistake({"resume", folder.path().string()}, "is not a run directory: no config.toml");
  expect_mistake({"evaluate", (folder.path() / "nowhere").string()}, "nowhere");
  expect_mistake({"reproduce", (folder.path() / "none.toml").string()}, "no such file");
  expect_mistake({"report", (folder.path() / "none.jsonl").string()}, "none.jsonl");
  std::ofstream(folder.path() / "bench.jsonl") << R"({"kind": "bench"})"
                                               << "\n";
  expect_mistake({"report", (folder.path() / "bench.jsonl").string()}, "found none");
  const fs::path source = ADASSL_SOURCE_DIR;
  expect_mistake({"train", (source / "studies/video-a.toml").string()}, "is a study");
  expect_mistake({"reproduce", (source / "configs/video-a-byol.toml").string()},
                 "'adassl train' runs it");
}

TEST(Mistakes, AStudysNameInsteadOfItsFile) {
  const TemporaryDirectory folder;
  fs::create_directories(folder.path() / "studies");
  std::ofstream(folder.path() / "studies/mine.toml") << "name = 'mine'\n";
  const Result result = run_program({"reproduce", "mine"}, folder.path());
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("did you mean 'studies/mine.toml'?"));
}

TEST(Mistakes, InCommands) {
  expect_mistake({"trian"}, "got 'trian'; did you mean 'train'?");
  expect_mistake({}, "subcommand is required");
  expect_mistake({"train"}, "config is required");
  expect_mistake({"list", "latent"},
                 "expected one of methods, sources, samples, pairings, views, encoders, latents");
}

TEST(Mistakes, ARunDirectoryIsNeverOverwritten) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  ASSERT_EQ(run_program(small_train(run)).code, 0);
  const std::string metrics = bytes_of(run / "metrics.jsonl");
  expect_mistake(small_train(run), "already holds a run; resume it with 'adassl resume ");
  EXPECT_EQ(bytes_of(run / "metrics.jsonl"), metrics);
}

TEST(Failure, OfANonFiniteLossExitsWithOneAndKeepsTheLastCheckpoint) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const Result result =
      run_program(small_train(run, {"train.steps=500", "train.checkpoint_every=1",
                                    "optimizer.learning_rate=1e18", "optimizer.clip=0"}));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("the loss is not finite: "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_FALSE(fs::is_empty(run / "checkpoints"));
  EXPECT_THAT(bytes_of(run / "log.txt"), HasSubstr("the loss is not finite"));
}

TEST(Mistakes, OfTheInstructionSetGetOneLine) {
  for (const char* name : {"mmx", ""}) {
    const Environment limited("ADASSL_SIMD", name);
    expect_mistake({"info"}, "[ADASSL_SIMD] expected one of baseline");
    const TemporaryDirectory folder;
    expect_mistake(small_train(folder.path() / "run"), "[ADASSL_SIMD] expected one of baseline");
    EXPECT_FALSE(fs::exists(folder.path() / "run"));
  }
}

TEST(Mistakes, OfAnInstructionSetThatTheMachineLacksGetOneLine) {
  const json available = json::parse(run_program({"info", "--json"}).out)["simd_available"];
  for (const std::string set : {"avx2", "avx512", "avx512_bf16", "amx"}) {
    if (std::find(available.begin(), available.end(), set) != available.end()) continue;
    const Environment limited("ADASSL_SIMD", set);
    expect_mistake({"info"}, "[ADASSL_SIMD] this machine has no " + set);
  }
}

}  // namespace
}  // namespace adassl::testing
