#include "adassl/study/gather.h"

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "adassl/records/describe.h"
#include "adassl/records/rule.h"
#include "support/temporary_directory.h"

namespace adassl::study {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;

/// A run's directory as gathering finds it.
fs::path directory_with(const fs::path& directory, const std::string& records) {
  fs::create_directories(directory);
  testing::put(directory / "config.toml", "");
  testing::put(directory / "records.jsonl", records);
  return directory;
}

TEST(Gather, TellsTheReportWhichScattersAreWanted) {
  const Study study = read_study(fs::path(ADASSL_SOURCE_DIR) / "studies/video-a.toml");
  const auto records = gather(study, "quick", {});  // nothing has run yet
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].rest["scatters"], nlohmann::json::parse(R"([
    {"x": "representation_accuracy", "y": "representation_r2", "label": "representations"},
    {"x": "embedding_accuracy", "y": "embedding_r2", "label": "embeddings"}])"));
}

TEST(Gather, MergesVariantsIntoOneEvaluationAndPrefixesTheirMetrics) {
  const TemporaryDirectory folder;
  Study study;
  study.name = "s";
  study.budgets["quick"] = {.steps = 1, .seeds = 1};
  std::vector<StudyRun> runs;
  for (const std::string variant : {"a", "b"}) {
    const fs::path directory = directory_with(
        folder.path() / variant,
        R"({"kind":"evaluation","step":1,"final":false,"metrics":{"m":0},"vectors":{}}
{"kind":"evaluation","step":2,"final":true,"metrics":{"m":1},"vectors":{}}
{"kind":"evaluation","step":1,"final":false,"metrics":{"m":2},"vectors":{}}
)");
    testing::put(directory / "metrics.jsonl", "{\"step\":1,\"loss\":5}\n");
    runs.push_back({"row", "Row", variant, 1, "", {}, directory});
  }
  const auto records = gather(study, "quick", runs);
  ASSERT_EQ(records.size(), 4U);  // the study, one evaluation, two curves
  EXPECT_EQ(records[1].metrics, (std::map<std::string, double>{{"a.m", 1}, {"b.m", 1}}));
  EXPECT_EQ(records[2].rest["points"]["a.loss"], nlohmann::json({5}));
  EXPECT_EQ(records[2].rest["points"]["step"], nlohmann::json({1}));
}

TEST(Gather, KeepsTheHealthOfEachVariant) {
  const TemporaryDirectory folder;
  Study study;
  study.name = "s";
  study.budgets["quick"] = {.steps = 2, .seeds = 1};
  std::vector<StudyRun> runs;
  for (const std::string variant : {"a", "b"}) {
    const fs::path directory = directory_with(
        folder.path() / variant,
        R"({"kind":"evaluation","step":2,"final":true,"metrics":{"m":1},"vectors":{}})"
        "\n" +
            fmt::format(R"({{"kind":"health","step":2,"well":{}}})", variant == "b") + "\n");
    runs.push_back({"row", "Row", variant, 1, "", {}, directory});
  }
  const auto records = gather(study, "quick", runs);
  const auto health = records::latest_of(records, records::kHealth);
  ASSERT_EQ(health.size(), 2U);
  EXPECT_EQ(health[0]->rest, nlohmann::json::parse(R"({"well": false, "variant": "a"})"));
  EXPECT_EQ(health[1]->rest, nlohmann::json::parse(R"({"well": true, "variant": "b"})"));
}

TEST(Gather, DescribesEachMetricOnceInTheStudysRecord) {
  const TemporaryDirectory folder;
  Study study;
  study.name = "s";
  study.budgets["quick"] = {.steps = 1, .seeds = 1};
  std::vector<StudyRun> runs;
  for (const std::string variant : {"a", "b"}) {
    const fs::path directory = directory_with(
        folder.path() / variant,
        R"({"kind":"evaluation","step":2,"final":true,"metrics":{"m":1},"vectors":{},)"
        R"("describe":{"m":{"label":"a metric"}}})"
        "\n");
    testing::put(directory / "metrics.jsonl", "{\"step\":1,\"loss\":5}\n");
    testing::put(directory / "describe.json", R"({"loss": {"label": "training loss"}})");
    runs.push_back({"row", "Row", variant, 1, "", {}, directory});
  }
  const auto records = gather(study, "quick", runs);
  ASSERT_EQ(records.size(), 4U);  // the study, one evaluation, two curves
  const nlohmann::json written = records::to_json(records[0]);
  EXPECT_EQ(written["describe"], nlohmann::json::parse(R"({"m": {"label": "a metric"},
                                                           "loss": {"label": "training loss"}})"));
  for (size_t i = 1; i < records.size(); ++i) EXPECT_TRUE(records[i].descriptions.empty()) << i;
  EXPECT_EQ(records::label_of(records[0].descriptions, "b.m"), "a metric, b");
}

TEST(Gather, KeepsOnePictureOfEachKindOfARow) {
  const TemporaryDirectory folder;
  Study study;
  study.name = "s";
  study.budgets["quick"] = {.steps = 1, .seeds = 2};
  std::vector<StudyRun> runs;
  for (const int64_t seed : {1, 2}) {
    const fs::path directory =
        directory_with(folder.path() / std::to_string(seed),
                       R"({"kind":"evaluation","step":1,"final":true,"metrics":{},"vectors":{}}
{"kind":"density","step":1,"panels":[]}
{"kind":"density","step":0,"panels":[]}
{"kind":"importance","step":1,"importance":[]}
{"kind":"control","step":1,"groups":[]}
{"kind":"untrained","step":0,"metrics":{},"vectors":{}}
)");
    runs.push_back({"row", "Row", "", seed, "", {}, directory});
  }
  const auto records = gather(study, "quick", runs);
  ASSERT_EQ(records.size(), 8U);  // the study, two evaluations of each kind, three pictures
  EXPECT_EQ(records[2].kind, "density");
  EXPECT_EQ(records[2].step, 1);
  EXPECT_EQ(records[2].seed, 1);
  EXPECT_EQ(records[3].kind, "importance");
  EXPECT_EQ(records[4].kind, "control");
  EXPECT_EQ(records[5].kind, "untrained");
  EXPECT_EQ(records[7].kind, "untrained");
}

TEST(Gather, LetsTheLastMilestoneStandInForTheEndOfARunThatWasCut) {
  const TemporaryDirectory folder;
  Study study;
  study.name = "s";
  study.budgets["quick"] = {.steps = 4, .seeds = 1};
  const std::string milestones = R"({"kind":"milestone","step":1,"metrics":{"m":1},"vectors":{}}
{"kind":"evaluation","step":1,"final":false,"metrics":{"m":7},"vectors":{}}
{"kind":"milestone","step":2,"metrics":{"m":2},"vectors":{}}
)";
  const auto cut = directory_with(folder.path() / "cut", milestones);
  const auto ended = directory_with(
      folder.path() / "ended",
      milestones + R"({"kind":"evaluation","step":4,"final":true,"metrics":{"m":4},"vectors":{}})" +
          "\n");
  const auto records = gather(
      study, "quick", {{"cut", "", "", 1, "", {}, cut}, {"ended", "", "", 1, "", {}, ended}});
  std::vector<std::string> found;
  for (const auto& record : records) {
    if (record.row.empty()) continue;
    found.push_back(fmt::format("{} {} {} {}", record.row, record.kind, record.step.value_or(-1),
                                record.metrics.at("m")));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"cut milestone 1 1", "cut milestone 2 2",
                                             "cut evaluation 2 2", "ended milestone 1 1",
                                             "ended milestone 2 2", "ended evaluation 4 4"}));
}

TEST(Gather, SaysOfVariantsHowFarTheSlowerOneIs) {
  const TemporaryDirectory folder;
  Study study;
  study.name = "s";
  study.budgets["quick"] = {.steps = 4, .seeds = 1};
  std::vector<StudyRun> runs;
  for (const auto& [variant, last] : {std::pair("a", 2), std::pair("b", 1)}) {
    std::string lines;
    for (int step = 1; step <= last; ++step) {
      lines += R"({"kind":"milestone","step":)" + std::to_string(step) +
               R"(,"metrics":{"m":1},"vectors":{}})" + "\n";
    }
    runs.push_back({"row", "", variant, 1, "", {}, directory_with(folder.path() / variant, lines)});
  }
  std::vector<std::string> found;
  for (const auto& record : gather(study, "quick", runs)) {
    if (record.row.empty()) continue;
    found.push_back(fmt::format("{} {} {}", record.kind, record.step.value_or(-1),
                                nlohmann::json(record.metrics).dump()));
  }
  EXPECT_EQ(found, (std::vector<std::string>{R"(milestone 1 {"a.m":1.0,"b.m":1.0})",
                                             R"(milestone 2 {"a.m":1.0})",
                                             R"(evaluation 1 {"a.m":1.0,"b.m":1.0})"}));
}

TEST(Gather, KeepsNothingOfARunThatHasNoEvaluationYet) {
  const auto record = [](std::string_view kind, const std::string& row, int64_t seed) {
    records::Record out{.kind = std::string(kind)};
    out.row = row;
    out.seed = seed;
    return out;
  };
  records::Records records = {
      {.kind = std::string(records::kStudy)}, record(records::kEvaluation, "one", 1),
      record(records::kCurve, "one", 1),      record(records::kCurve, "one", 2),
      record(records::kCurve, "two", 1),
  };
  EXPECT_EQ(evaluated(records), std::vector(records.begin(), records.begin() + 3));
  records[2].rest["points"] = {{"step", {1}}, {"a.loss", {2}}};
  records[3].rest["points"] = {{"step", {1}}, {"gates", {2}}};
  records[0].descriptions = {{"loss", {.name = "loss"}}, {"gates", {.name = "gates"}}};
  EXPECT_EQ(evaluated(records)[0].descriptions, (Descriptions{{"loss", {.name = "loss"}}}));
}

}  // namespace
}  // namespace adassl::study
