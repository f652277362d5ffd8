#include "adassl/records/run_records.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace adassl::records {
namespace {

namespace fs = std::filesystem;
using storage::RunDirectory;
using testing::TemporaryDirectory;

RunDirectory run_in(const fs::path& folder) {
  testing::put(folder / "config.toml", "seed = 1\n");
  return RunDirectory::open(folder, RunDirectory::Lock::kNo);
}

constexpr const char* kResult = R"({"kind":"evaluation","step":4,"final":true,"metrics":{"m":1}})";

TEST(RunRecords, SkipLinesThatAreNone) {
  const TemporaryDirectory folder;
  testing::put(folder.path() / "records.jsonl",
               std::string("7\nnot json\n{\"kind\":3}\n") + kResult + "\n{\"kind\":\"evalu");
  const Records records = run_records(run_in(folder.path()));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].metrics.at("m"), 1);
}

TEST(RunRecords, HoldTheCurveWithWhatItsTermsAre) {
  const TemporaryDirectory folder;
  testing::put(folder.path() / "metrics.jsonl",
               "{\"step\":1,\"loss\":5}\n{\"step\":2,\"loss\":4,\"r2\":0.5}\n[]\n");
  const RunDirectory run = run_in(folder.path());
  EXPECT_TRUE(run_records(run).at(0).descriptions.empty()) << "as old runs are";
  write_descriptions(run.descriptions(), {{"loss", {.name = "loss", .label = "training loss"}}});
  const Records records = run_records(run);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].kind, kCurve);
  EXPECT_EQ(records[0].rest["points"]["r2"], nlohmann::json({0.5}));
  EXPECT_EQ(records[0].descriptions.at("loss").label, "training loss");
}

TEST(RunRecords, BeginTheCurveBeforeTheTraining) {
  const TemporaryDirectory folder;
  testing::put(folder.path() / "metrics.jsonl",
               "{\"step\":0,\"a\":1,\"b\":2,\"c\":3}\n{\"step\":1,\"loss\":5}\n");
  const RunDirectory run = run_in(folder.path());
  const auto points = [&] { return run_records(run).at(0).rest["points"]; };
  EXPECT_EQ(points()["loss"], nlohmann::json({nullptr, 5})) << "until the first probe";
  testing::put(folder.path() / "metrics.jsonl",
               "{\"step\":0,\"a\":1}\n{\"step\":1,\"loss\":5}\n"
               "{\"step\":2,\"loss\":4,\"a\":2}\n");
  EXPECT_EQ(points()["step"], nlohmann::json({0, 2}));
  EXPECT_EQ(points()["a"], nlohmann::json({1, 2}));
}

TEST(Descriptions, OfARunThatAreDamagedAreNone) {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "describe.json";
  EXPECT_TRUE(read_descriptions(path).empty());
  for (const char* bytes : {"", "{", "[1]", "\xff", "{\"loss\""}) {
    testing::put(path, bytes);
    EXPECT_TRUE(read_descriptions(path).empty()) << bytes;
  }
  fs::remove(path);
  fs::create_directories(path);  // no file at all
  EXPECT_TRUE(read_descriptions(path).empty());
}

TEST(Finished, IsARunWhoseLastStepWasSavedAndEvaluated) {
  const TemporaryDirectory folder;
  const RunDirectory run = run_in(folder.path());
  EXPECT_FALSE(is_finished(run));
  testing::put(run.records(), std::string(kResult) + "\n");
  EXPECT_FALSE(is_finished(run)) << "no encoder";
  testing::put(run.encoder(), "weights");
  EXPECT_TRUE(is_finished(run));
  testing::put(run.records(), R"({"kind":"milestone","step":4,"final":true,"metrics":{}})"
                              "\n");
  EXPECT_FALSE(is_finished(run));
  testing::put(run.records(), R"({"kind":"evaluation","step":4,"final":true,"config_hash":"x"})"
                              "\n");
  EXPECT_FALSE(is_finished(run)) << "evaluated with other options only";
}

}  // namespace
}  // namespace adassl::records
