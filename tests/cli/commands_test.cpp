#include <chrono>
#include <map>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

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
  std::string records = bytes_of(run / "records.jsonl");
  records.pop_back();
  const json record = json::parse(records.substr(records.rfind('\n') + 1));  // the last line
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

TEST(Evaluate, LeavesTheRunsOwnNumbersOnItsPage) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  ASSERT_EQ(run_program(small_train(run)).code, 0);
  const std::string table = run_program({"report", "--markdown", run.string()}).out;
  ASSERT_THAT(table, HasSubstr("R²"));
  ASSERT_EQ(run_program({"evaluate", run.string(), "evaluate.suites=[\"utilisation\"]"}).code, 0);
  EXPECT_EQ(run_program({"report", "--markdown", run.string()}).out, table);
}

TEST(Evaluate, AddsARowOfTheUntrainedModelOnRequest) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  ASSERT_EQ(run_program(small_train(run)).code, 0);
  const std::string table = run_program({"report", "--markdown", run.string()}).out;
  const auto untrained = run_program({"evaluate", run.string(), "--untrained"});
  ASSERT_EQ(untrained.code, 0) << untrained.err;
  EXPECT_THAT(untrained.out, HasSubstr("r2_pz = "));
  const std::string both = run_program({"report", "--markdown", run.string()}).out;
  EXPECT_THAT(both, HasSubstr(", untrained"));
  EXPECT_THAT(table, Not(HasSubstr(", untrained")));
  // The same numbers come from a run without a single step.
  const fs::path other = folder.path() / "other";
  ASSERT_EQ(run_program(small_train(other, {"train.steps=0"})).code, 0);
  const auto initial = run_program({"evaluate", other.string()}).out;
  const size_t r2 = untrained.out.find("r2_pz = ");
  EXPECT_THAT(initial, HasSubstr(untrained.out.substr(r2, untrained.out.find('\n', r2) - r2)));
  // An option asks for both at the end of a run.
  const fs::path third = folder.path() / "third";
  ASSERT_EQ(run_program(small_train(third, {"evaluate.untrained=true"})).code, 0);
  EXPECT_THAT(run_program({"report", "--markdown", third.string()}).out, HasSubstr(", untrained"));
}

/// The first of two evaluations takes seconds, so the signal arrives while it is running. Where it
/// does not on some very fast machine, the run has finished and the test says so.
TEST(Train, StopsDuringAnEvaluationAndMakesItWhenResumed) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const pid_t process = start_program(
      small_train(run, {"evaluate.regression.train_samples=3000000"}), ".", folder.path() / "err");
  ASSERT_TRUE(wait_until(process, [&] {
    return bytes_of(run / "status.json").find("evaluating 1/2") != std::string::npos;
  })) << bytes_of(folder.path() / "err");
  kill(process, SIGTERM);
  EXPECT_EQ(wait_for(process), 143);
  EXPECT_FALSE(fs::exists(run / "records.jsonl"));
  EXPECT_THAT(bytes_of(folder.path() / "err"), HasSubstr("stopped during the final evaluation"));
  ASSERT_EQ(run_program({"resume", run.string()}).code, 0);
  EXPECT_THAT(bytes_of(run / "records.jsonl"), HasSubstr("\"final\":true"));
}

/// The steps of the milestones that a run has recorded, in their order.
std::vector<int64_t> milestones_of(const fs::path& run) {
  std::vector<int64_t> out;
  std::istringstream lines(fs::exists(run / "records.jsonl") ? bytes_of(run / "records.jsonl")
                                                             : "");
  for (std::string line; std::getline(lines, line);) {
    const json record = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_discarded()) continue;  // the program is writing it
    if (record["kind"] == "milestone") out.push_back(record["step"]);
  }
  return out;
}

TEST(Train, EvaluatesOnTheWayWhereItIsAskedTo) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const fs::path plain = folder.path() / "plain";
  ASSERT_EQ(run_program(small_train(run, {"train.steps=20", "evaluate.at=[5,10,20,50]"})).code, 0);
  EXPECT_EQ(milestones_of(run), (std::vector<int64_t>{5, 10})) << "20 is the end, 50 beyond it";
  ASSERT_EQ(run_program(small_train(plain, {"train.steps=20"})).code, 0);
  EXPECT_EQ(bytes_of(run / "metrics.jsonl"), bytes_of(plain / "metrics.jsonl"))
      << "who watches does not change";
  EXPECT_EQ(bytes_of(run / "records.jsonl").find("\"kind\":\"density\",\"step\":5"),
            std::string::npos);
}

/// The untrained model is probed on so many samples that the signal arrives before the first step.
TEST(Train, EndsAtOnceBeforeTheFirstStep) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  const pid_t process =
      start_program(small_train(run, {"evaluate.probe_samples=1000000", "train.steps=2"}), ".",
                    folder.path() / "err");
  ASSERT_TRUE(wait_until(process, [&] { return fs::exists(run / "log.txt"); }));
  kill(process, SIGTERM);
  EXPECT_EQ(wait_for(process), 128 + SIGTERM);
  EXPECT_THAT(bytes_of(folder.path() / "err"), HasSubstr("stopped before the first step"));
  EXPECT_TRUE(fs::is_empty(run / "checkpoints"));
  ASSERT_EQ(run_program({"resume", run.string()}).code, 0);
  EXPECT_THAT(bytes_of(run / "metrics.jsonl"), HasSubstr("{\"step\":2,"));
}

bool has_checkpoint(const fs::path& run) {
  std::error_code none_yet;
  for (const auto& entry : fs::directory_iterator(run / "checkpoints", none_yet)) {
    if (entry.path().extension() == ".safetensors") return true;
  }
  return false;
}

/// The run is too long to end by itself, so each signal finds it at work on any machine.
TEST(Train, MakesEachMilestoneOnceHoweverOftenItIsStopped) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "run";
  pid_t process = start_program(
      small_train(run, {"train.steps=1000000", "evaluate.at=[4,8]", "train.checkpoint_every=6",
                        "train.log_every=1", "evaluate.regression.train_samples=100000"}));
  EXPECT_TRUE(wait_until(process, [&] { return !milestones_of(run).empty(); }));
  kill(process, SIGKILL);  // at step 4, or in the evaluation of step 8
  EXPECT_EQ(wait_for(process), 128 + SIGKILL);
  process = start_program({"resume", run.string()});
  EXPECT_TRUE(wait_until(process, [&] { return has_checkpoint(run); }));
  kill(process, SIGTERM);  // after step 6, or in the evaluation of step 8
  EXPECT_EQ(wait_for(process), 128 + SIGTERM);
  const size_t logged = lines_in(run / "metrics.jsonl");
  process = start_program({"resume", run.string()});
  EXPECT_TRUE(wait_until(process, [&] { return lines_in(run / "metrics.jsonl") > logged + 30; }));
  kill(process, SIGTERM);
  EXPECT_EQ(wait_for(process), 128 + SIGTERM);
  EXPECT_EQ(milestones_of(run), (std::vector<int64_t>{4, 8}));
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
  const std::map<std::string, std::string> products = {{"baseline", "none"},
                                                       {"avx2", "none"},
                                                       {"avx512", "float32"},
                                                       {"avx512_bf16", "avx512_bf16"},
                                                       {"amx", "amx"}};
  const json machine = json::parse(run_program({"info", "--json"}).out);
  for (const std::string set : machine["simd_available"]) {
    const Environment limited("ADASSL_SIMD", set);
    const json info = json::parse(run_program({"info", "--json"}).out);
    EXPECT_EQ(info["simd"], set);
    EXPECT_EQ(info["bf16_products"], products.at(set));
  }
  EXPECT_EQ(machine["amx"] == "works", machine["simd_available"].back() == "amx");
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
