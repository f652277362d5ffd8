#include <chrono>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include "cli/program.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Program, SaysWhichOneItIs) {
  const Result result = run_program({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, ::testing::MatchesRegex("adassl [0-9.]+ \\(commit [0-9a-z]+\\+?\\)\n"));
}

TEST(Train, LeavesEverythingInOneRunDirectory) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const Result result = run_program(small_train(run));
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* name : {"config.toml", "metrics.jsonl", "records.jsonl", "log.txt",
                           "checkpoints", "encoder.safetensors", "report.html"}) {
    EXPECT_TRUE(fs::exists(run / name)) << name;
  }
  EXPECT_THAT(result.out, HasSubstr("step 20/20"));
  EXPECT_THAT(result.out, HasSubstr("ETA"));
  EXPECT_THAT(result.out, HasSubstr("pairs/s"));
  EXPECT_THAT(result.out, HasSubstr("evaluating 2/2: utilisation"));
  EXPECT_THAT(bytes_of(run / "report.html"), HasSubstr("</html>"));
  const json record = json::parse(
      bytes_of(run / "records.jsonl").substr(0, bytes_of(run / "records.jsonl").find('\n')));
  EXPECT_EQ(record["kind"], "evaluation");
  EXPECT_EQ(record["method"], "adassl-v");
  EXPECT_EQ(record["step"], 20);
  EXPECT_TRUE(record["metrics"].contains("r2_ood"));
  EXPECT_TRUE(record["host"].contains("cpu"));
}

TEST(Train, ChoosesAFreshDirectoryOfItsOwn) {
  const TemporaryDirectory folder;
  auto arguments = small_train("unused");
  arguments.erase(arguments.begin() + 2, arguments.begin() + 4);  // without --run
  ASSERT_EQ(run_program(arguments, folder.path()).code, 0);
  ASSERT_EQ(run_program(arguments, folder.path()).code, 0);
  EXPECT_TRUE(fs::exists(folder.path() / "runs/numerical-complex-adassl-v/report.html"));
  EXPECT_TRUE(fs::exists(folder.path() / "runs/numerical-complex-adassl-v-2/report.html"));
}

TEST(Train, IdentityHasNothingToTrainAndIsEvaluatedAllTheSame) {
  const TemporaryDirectory folder;
  const Result result =
      run_program(small_train(folder.path() / "run", {}, "numerical-complex-identity"));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(bytes_of(folder.path() / "run/records.jsonl"), HasSubstr("\"r2_n5\""));
}

TEST(Evaluate, AppendsRecordsAndPrintsThemAsJson) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  ASSERT_EQ(run_program(small_train(run)).code, 0);
  const size_t before = lines_in(run / "records.jsonl");
  const Result result =
      run_program({"evaluate", run.string(), "evaluate.regression.test_samples=256", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["kind"], "evaluation");
  EXPECT_EQ(lines_in(run / "records.jsonl"), before + 1);
  const Result refused = run_program({"evaluate", run.string(), "train.steps=5"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("expected overrides of evaluate.* or compute.*"));
}

TEST(List, ExplainsEveryPartAndOption) {
  const Result text = run_program({"list", "latents"});
  ASSERT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("variational"));
  EXPECT_THAT(text.out, HasSubstr("weight of the KL term"));
  const json all = json::parse(run_program({"list", "--json"}).out);
  for (const char* kind : {"methods", "sources", "encoders", "latents", "editors", "objectives",
                           "similarities", "evaluations", "options"}) {
    EXPECT_FALSE(all[kind].empty()) << kind;
  }
}

TEST(Info, TellsTheMachineAndTheBuild) {
  const json info = json::parse(run_program({"info", "--json"}).out);
  EXPECT_GT(info["matmul_gflops"].get<double>(), 0);
  EXPECT_GE(info["cores"].get<int>(), 1);
  EXPECT_TRUE(info["libtorch"].is_string());
  EXPECT_NE(info["blas_kernels"], "Prescott");
  EXPECT_GT(info["fp32_peak_gflops"].get<double>(), 0);
  EXPECT_GT(info["fp32_peak_gflops_one_thread"].get<double>(), 0);
  EXPECT_THAT(info["simd_available"], ::testing::Contains(info["simd"]));
  EXPECT_GT(info["bf16_peak_gflops"].get<double>(), 0);
}

TEST(Info, NamesTheInstructionSetThatTheEnvironmentChose) {
  setenv("ADASSL_SIMD", "baseline", 1);
  const json info = json::parse(run_program({"info", "--json"}).out);
  unsetenv("ADASSL_SIMD");
  EXPECT_EQ(info["simd"], "baseline");
  EXPECT_EQ(info["bf16_products"], "none");
}

/// A study of two small rows in a folder of its own.
fs::path small_study(const fs::path& folder, int64_t steps) {
  std::ofstream(folder / "small.toml") << R"(method = "infonce"
[data]
mixing_candidates = 10
[encoder]
hidden = [16]
[train]
batch = 16
[evaluate]
suites = ["regression"]
probe_samples = 64
[evaluate.regression]
train_samples = 128
test_samples = 128
)";
  std::ofstream(folder / "study.toml") << R"(name = "small"
title = "Small"
[budgets]
quick = {steps = )" << steps << R"(, seeds = 2}
[[columns]]
metric = "r2_pz"
label = "p of z"
[[rows]]
name = "one"
label = "One"
config = "small.toml"
[rows.paper]
r2_pz = [0.5, 0.1]
[[rows]]
name = "two"
label = "Two"
config = "small.toml"
set = ["method=aninfonce"]
[[rows]]
name = "identity"
label = "Identity"
config = "identity.toml"
)";
  std::ofstream(folder / "identity.toml") << R"(method = "identity"
[data]
mixing_candidates = 10
[evaluate]
suites = ["regression"]
[evaluate.regression]
train_samples = 128
test_samples = 128
)";
  return folder / "study.toml";
}

TEST(Reproduce, RunsAllRowsOnceAndPutsThePaperBeside) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 30);
  const std::vector<std::string> arguments = {"reproduce", study.string(), "--out",
                                              (folder.path() / "runs").string(), "--json"};
  const Result first = run_program(arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  const json table = json::parse(first.out);
  EXPECT_EQ(table["rows"][0]["cells"]["r2_pz"]["seeds"], 2);
  EXPECT_EQ(table["rows"][0]["cells"]["r2_pz"]["paper_mean"], 0.5);
  EXPECT_TRUE(table["rows"][0]["cells"]["r2_pz"].contains("deviations"));
  EXPECT_TRUE(fs::exists(folder.path() / "runs/small/quick/report.html"));
  const fs::path run = folder.path() / "runs/small/quick/two/seed-2";
  const auto written = fs::last_write_time(run / "records.jsonl");
  const Result second = run_program(arguments);
  EXPECT_EQ(second.code, 0);
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(fs::last_write_time(run / "records.jsonl"), written);  // nothing ran twice
}

TEST(Reproduce, StopsOnASignalAndContinuesWhereItStopped) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 2000);
  const fs::path runs = folder.path() / "runs";
  const std::vector<std::string> arguments = {"reproduce",   study.string(), "--out",
                                              runs.string(), "--jobs",       "1"};
  const pid_t process = start_program(arguments);
  const fs::path first = runs / "small/quick/one/seed-1";
  while (lines_in(first / "metrics.jsonl") < 3) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(process, SIGTERM);
  EXPECT_EQ(wait_for(process), 143);
  EXPECT_FALSE(fs::exists(first / "encoder.safetensors"));
  EXPECT_EQ(run_program(arguments).code, 0);
  EXPECT_THAT(bytes_of(first / "log.txt"), HasSubstr("resumed at step"));
  EXPECT_TRUE(fs::exists(runs / "small/quick/two/seed-2/encoder.safetensors"));
}

TEST(Reproduce, SavesItsRunsWhenASignalReachesTheWholeGroup) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 5000);
  const fs::path runs = folder.path() / "runs";
  const fs::path first = runs / "small/quick/one/seed-1";
  const pid_t process = fork();
  if (process == 0) {  // a process group of its own, as a shell or a scheduler makes one
    setpgid(0, 0);
    _exit(run_program({"reproduce", study.string(), "--out", runs.string(), "--jobs", "1"}).code);
  }
  while (lines_in(first / "metrics.jsonl") < 3) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // To everyone but the forked test itself, which only waits.
  const std::string children =
      "/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children";
  const pid_t program = static_cast<pid_t>(std::stol(bytes_of(children)));
  const pid_t run = static_cast<pid_t>(std::stol(bytes_of(
      "/proc/" + std::to_string(program) + "/task/" + std::to_string(program) + "/children")));
  kill(run, SIGTERM);
  kill(program, SIGTERM);
  EXPECT_EQ(wait_for(process), 143);
  EXPECT_THAT(bytes_of(first / "log.txt"), HasSubstr("and stopping"));
  EXPECT_FALSE(fs::is_empty(first / "checkpoints"));
}

TEST(Reproduce, IsNotChangedByAnEvaluationWithOtherOptions) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 10);
  const std::vector<std::string> arguments = {"reproduce", study.string(), "--out",
                                              (folder.path() / "runs").string(), "--json"};
  const Result first = run_program(arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  const std::string run = (folder.path() / "runs/small/quick/one/seed-1").string();
  ASSERT_EQ(run_program({"evaluate", run, "evaluate.regression.test_samples=40"}).code, 0);
  ASSERT_EQ(run_program({"evaluate", run, "evaluate.suites=[\"geometry\"]"}).code, 0);
  EXPECT_EQ(run_program(arguments).out, first.out);
}

TEST(Reproduce, RefusesRunsOfAnotherConfiguration) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 10);
  const std::vector<std::string> arguments = {"reproduce", study.string(), "--out",
                                              (folder.path() / "runs").string()};
  ASSERT_EQ(run_program(arguments).code, 0);
  small_study(folder.path(), 20);
  const Result result = run_program(arguments);
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(
      result.err,
      HasSubstr("holds a run of another configuration: train.steps is 10 there, and 20 here"));
}

TEST(Reproduce, NoticesAnOverrideThatIsGone) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 10);
  const auto run_with = [&](const std::string& set) {
    small_study(folder.path(), 10);
    std::string text = bytes_of(study);
    const std::string place = "config = \"small.toml\"\n";
    put(study, text.insert(text.find(place), set));
    return run_program(
        {"reproduce", study.string(), "--out", (folder.path() / "runs").string(), "--rows", "one"});
  };
  ASSERT_EQ(run_with("set = [\"optimizer.clip=0.5\", \"objective.tau=0.1\"]\n").code, 0);
  EXPECT_EQ(run_with("set = [\"optimizer.clip=0.5\"]\n").code, 0) << "0.1 is the default";
  const Result result = run_with("");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("optimizer.clip is 0.5 there, and 1.0 here"));
}

TEST(Reproduce, DoesNotTabulateWhatIsUnfinished) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 10);
  const fs::path runs = folder.path() / "runs";
  const fs::path run = runs / "small/quick/one/seed-1";
  const auto reproduce = [&](const std::string& rows) {
    return run_program({"reproduce", study.string(), "--out", runs.string(), "--rows", rows,
                        "--records", (folder.path() / "records.jsonl").string()});
  };
  ASSERT_EQ(reproduce("one").code, 0);
  std::string records = bytes_of(run / "records.jsonl");
  for (size_t at; (at = records.find("\"final\":true")) != std::string::npos;) {
    records.replace(at, 12, "\"final\":false");
  }
  put(run / "records.jsonl", records);
  ASSERT_EQ(reproduce("two").code, 0);
  const std::string gathered = bytes_of(folder.path() / "records.jsonl");
  EXPECT_THAT(gathered, Not(HasSubstr("\"row\":\"one\",\"seed\":1")));
  EXPECT_THAT(gathered, HasSubstr("\"row\":\"two\",\"seed\":1"));
}

TEST(Reproduce, GoesOnPastARowThatFailsAndSaysWhich) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 50);
  std::ofstream(study, std::ios::app) << "[[rows]]\nname = \"broken\"\nlabel = \"Broken\"\n"
                                         "config = \"small.toml\"\nset = [\"objective.tau=-1\"]\n";
  const Result result =
      run_program({"reproduce", study.string(), "--out", (folder.path() / "runs").string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("Broken, seed 1 failed (exit code 2): adassl: [command line"));
  EXPECT_TRUE(fs::exists(folder.path() / "runs/small/quick/two/seed-2/encoder.safetensors"));
}

TEST(Report, MakesAPageAndMarkdownFromRecordsAlone) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 10);
  const fs::path records = folder.path() / "records.jsonl";
  ASSERT_EQ(run_program({"reproduce", study.string(), "--out", (folder.path() / "runs").string(),
                         "--records", records.string()})
                .code,
            0);
  ASSERT_EQ(
      run_program({"report", records.string(), "--out", (folder.path() / "page.html").string()})
          .code,
      0);
  EXPECT_THAT(bytes_of(folder.path() / "page.html"), HasSubstr("</html>"));
  EXPECT_THAT(run_program({"report", "--markdown", records.string()}).out, HasSubstr("| One |"));
  const fs::path table = folder.path() / "table.md";
  ASSERT_EQ(run_program({"report", "--markdown", records.string(), "--out", table.string()}).code,
            0);
  EXPECT_THAT(bytes_of(table), HasSubstr("| One |"));
}

TEST(Report, TakesARunDirectoryInEveryForm) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "two" / "seed-2";
  ASSERT_EQ(
      run_program(small_train(run, {"train.steps=20", "train.probe_every=10", "seed=2"})).code, 0);
  const Result table = run_program({"report", run.string(), "--markdown"});
  EXPECT_THAT(table.out, StartsWith("## two/seed-2\n\n| |"));
  EXPECT_THAT(table.out, HasSubstr("| adassl-v |"));
  EXPECT_EQ(run_program({"report", run.string(), "--picture"}).code, 0);
  EXPECT_THAT(bytes_of(run / "records.svg"), StartsWith("<svg"));
  EXPECT_THAT(run_program({"report", run.string(), "--scatter"}).err, HasSubstr("got none"));
}

}  // namespace
}  // namespace adassl::testing
