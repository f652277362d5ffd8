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
  std::vector<std::string> only_one = arguments;
  only_one.insert(only_one.end(), {"--seeds", "1-1"});
  EXPECT_EQ(run_program(only_one).out, first.out);  // the finished runs are kept
}

TEST(Reproduce, StopsOnASignalAndContinuesWhereItStopped) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 2000);
  const fs::path runs = folder.path() / "runs";
  const std::vector<std::string> arguments = {"reproduce",   study.string(), "--out",
                                              runs.string(), "--jobs",       "1"};
  const pid_t process = start_program(arguments);
  const fs::path first = runs / "small/quick/one/seed-1";
  wait_for_lines(first / "metrics.jsonl", 3, process);
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
  wait_for_lines(first / "metrics.jsonl", 3, process);
  // Send the signal to all processes except the forked test itself, which only waits.
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

TEST(Reproduce, SavesItsRunsWhenItIsKilled) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 1'000'000);
  const fs::path runs = folder.path() / "runs";
  const fs::path first = runs / "small/quick/one/seed-1";
  const pid_t process =
      start_program({"reproduce", study.string(), "--out", runs.string(), "--jobs", "1"});
  wait_for_lines(first / "metrics.jsonl", 3, process);
  kill(process, SIGKILL);
  EXPECT_EQ(wait_for(process), 128 + SIGKILL);
  // Nothing reads the output of the run at this point.
  while (bytes_of(first / "log.txt").find("signal 15: saving at step ") == std::string::npos ||
         fs::is_empty(first / "checkpoints")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
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

TEST(Reproduce, DoesNotMixTrialsOfAnotherConfigurationIntoARow) {
  const TemporaryDirectory folder;
  const auto reproduce = [&](int64_t steps, const std::string& seeds) {
    return run_program({"reproduce", small_study(folder.path(), steps).string(), "--out",
                        (folder.path() / "runs").string(), "--json", "--seeds", seeds});
  };
  ASSERT_EQ(reproduce(10, "1").code, 0);
  const Result result = reproduce(20, "2-2");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("train.steps is 10 there, and 20 here"));
  EXPECT_EQ(json::parse(result.out)["rows"][0]["cells"]["r2_pz"]["seeds"], 1);
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

TEST(Reproduce, MakesTrialsInSeveralPlacesWhoseRecordsAreOneTable) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 10);
  const auto records_of = [&](const std::string& place, const std::string& seeds) {
    const fs::path records = folder.path() / (place + ".jsonl");
    const Result result =
        run_program({"reproduce", study.string(), "--out", (folder.path() / place).string(),
                     "--seeds", seeds, "--records", records.string()});
    EXPECT_EQ(result.code, 0) << result.err;
    return bytes_of(records);
  };
  const auto table_of = [&](const std::string& records) {
    put(folder.path() / "table.jsonl", records);
    return run_program({"report", "--markdown", (folder.path() / "table.jsonl").string()}).out;
  };
  const std::string here = records_of("here", "1");
  const std::string there = records_of("there", "2-2");
  EXPECT_FALSE(fs::exists(folder.path() / "there/small/quick/one/seed-1"));
  EXPECT_EQ(table_of(here + there), table_of(records_of("all", "2")));
}

TEST(Reproduce, SharesOutTheCoresAmongAsManyRunsAsAreLeft) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 5);
  const json info = json::parse(run_program({"info", "--json"}).out);
  ASSERT_EQ(run_program({"reproduce", study.string(), "--out", (folder.path() / "runs").string(),
                         "--jobs", "8", "--rows", "one", "--seeds", "2-2"})
                .code,
            0);
  EXPECT_THAT(bytes_of(folder.path() / "runs/small/quick/one/seed-2/config.toml"),
              HasSubstr("\nthreads = " + info["cores"].dump() + "\n"));
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

TEST(Reproduce, GoesOnPastARunThatSomeoneElsePutThereMeanwhile) {
  const TemporaryDirectory folder;
  const fs::path study = small_study(folder.path(), 2000);
  const fs::path runs = folder.path() / "runs/small/quick";
  const fs::path errors = folder.path() / "errors.txt";
  const pid_t process = start_program(
      {"reproduce", study.string(), "--out", (folder.path() / "runs").string(), "--jobs", "1"}, ".",
      errors);
  wait_for_lines(runs / "one/seed-1/metrics.jsonl", 1, process);
  fs::create_directories(runs / "two/seed-1");
  put(runs / "two/seed-1/config.toml", "seed = 7\n");
  put(runs / "two/seed-1/records.jsonl",
      R"({"kind":"evaluation","final":true,"step":1,"metrics":{"r2_pz":0.125},"vectors":{}})"
      "\n");
  EXPECT_EQ(wait_for(process), 2);
  EXPECT_THAT(bytes_of(errors), HasSubstr("Two, seed 1 failed (exit code 2): "));
  EXPECT_THAT(bytes_of(errors), HasSubstr("\nleft out: ["));
  EXPECT_THAT(bytes_of(runs / "records.jsonl"), Not(HasSubstr("0.125")));
  EXPECT_TRUE(fs::exists(runs / "two/seed-2/encoder.safetensors"));
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

TEST(Report, ListsTheClaimsOfAllStudies) {
  const std::string results = std::string(ADASSL_SOURCE_DIR) + "/results/";
  const std::string table = results + "numerical-complex-quick.jsonl";
  const std::string none = results + "numerical-identity.jsonl";  // it makes no claims
  const Result both = run_program({"report", "--claims", none, table});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_THAT(both.out, StartsWith("## The paper's claims\n\n| "));
  EXPECT_THAT(both.out, HasSubstr("| AdaSSL improves further on H-InfoNCE | yes (1 seed) | "));
  const Result nothing = run_program({"report", "--claims", none});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("[report] expected records of a study that makes claims"));
}

}  // namespace
}  // namespace adassl::testing
