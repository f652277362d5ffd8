#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "adassl/storage/json_lines.h"
#include "cli/program.h"
#include "support/temporary_directory.h"

/// Tests of what `adassl bench` prints. They never assert a time.
namespace adassl::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::vector<json> rows_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"bench", "--json", "--repeats", "1"});
  const Result result = run_program(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  std::vector<json> out;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) out.push_back(json::parse(line));
  return out;
}

void expect_row(const json& row) {
  EXPECT_TRUE(row["name"].is_string()) << row;
  EXPECT_GT(row["fused_ms"].get<double>(), 0) << row;
  EXPECT_GE(row["threads"].get<int>(), 1) << row;
  for (const char* key :
       {"reference_ms", "ratio", "gflops", "peak_share", "extra_bytes", "floor_ms", "over_floor"}) {
    ASSERT_TRUE(row.contains(key)) << key << " in " << row;
    EXPECT_TRUE(row[key].is_null() || row[key].is_number()) << key << " in " << row;
  }
  EXPECT_EQ(row["ratio"].is_null(), row["reference_ms"].is_null()) << row;
  if (row["ratio"].is_null()) return;
  EXPECT_DOUBLE_EQ(row["ratio"].get<double>(),
                   row["reference_ms"].get<double>() / row["fused_ms"].get<double>());
}

TEST(Bench, PrintsOneObjectARow) {
  const std::vector<json> rows = rows_of({});
  EXPECT_GE(rows.size(), 16U);
  size_t textbook = 0;
  for (const json& row : rows) {
    expect_row(row);
    if (row["name"].get<std::string>().find("textbook formula") != std::string::npos) ++textbook;
  }
  EXPECT_EQ(textbook, 4U);
}

TEST(Bench, OnlyShowsTheRowsThatAreAskedFor) {
  const std::vector<json> rows = rows_of({"--only", "x 5", "--threads", "1"});
  ASSERT_EQ(rows.size(), 3U);
  for (const json& row : rows) {
    expect_row(row);
    EXPECT_THAT(row["name"].get<std::string>(), HasSubstr("2048 x 5"));
    EXPECT_EQ(row["threads"], 1);
    EXPECT_FALSE(row["reference_ms"].is_null());
  }
}

TEST(Bench, CountsWorkAndMemoryOfAKernel) {
  const std::vector<json> rows = rows_of({"--only", "contrastive loss + gradients, N=2048 d=11"});
  ASSERT_EQ(rows.size(), 1U);
  const json& row = rows[0];
  const double flops = 6.0 * 2048 * 2048 * 11;  // three products of N x N x d
  EXPECT_NEAR(row["gflops"].get<double>() * row["fused_ms"].get<double>() * 1e6, flops,
              1e-6 * flops);
  EXPECT_GT(row["peak_share"].get<double>(), 0);
  EXPECT_GT(row["extra_bytes"].get<int64_t>(), 0);
  EXPECT_LT(row["extra_bytes"].get<int64_t>(), 2048 * 2048 * 4);  // no N x N matrix
}

TEST(Bench, ScalesOverBatchesWidthsAndThreads) {
  const std::vector<json> batches =
      rows_of({"--scaling", "--only", "contrastive loss + gradients, N=512 "});
  ASSERT_EQ(batches.size(), 1U);
  expect_row(batches[0]);
  const std::vector<json> steps = rows_of({"--scaling", "--only", "infonce, N=2048, threads=1"});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0]["threads"], 1);
}

TEST(Bench, MeasuresTheConvolutionsOfTheVideoModels) {
  const std::vector<json> rows = rows_of({"video", "--only", "convolution 1"});
  ASSERT_EQ(rows.size(), 3U);
  // 128 clips of 3 frames, 32 channels to 64, 3 x 3 taps at 16 x 16 places; on each side one tap
  // falls on the padding.
  const double flops = 2.0 * 128 * 3 * 64 * 32 * (3 * 16 - 1) * (3 * 16 - 1);
  for (const json& row : rows) {
    expect_row(row);
    EXPECT_NEAR(row["gflops"].get<double>() * row["fused_ms"].get<double>() * 1e6, flops,
                1e-6 * flops);
  }
  // The first layer needs no gradient of its input, the clip.
  EXPECT_EQ(rows_of({"video", "--only", "convolution 0"}).size(), 2U);
}

TEST(Bench, MeasuresPiecesOfAVideoStep) {
  for (const char* piece : {"byol, AdamW", "adassl-v, networks"}) {
    const std::vector<json> rows = rows_of({"video", "--only", piece});
    ASSERT_EQ(rows.size(), 1U);
    expect_row(rows[0]);
    EXPECT_FALSE(rows[0]["reference_ms"].is_null());
    EXPECT_TRUE(rows[0]["floor_ms"].is_null());
  }
}

TEST(Bench, HoldsAVideoStepAgainstItsConvolutions) {
  const std::vector<json> rows = rows_of({"video", "--only", "byol, whole"});
  ASSERT_EQ(rows.size(), 1U);
  const json& row = rows[0];
  expect_row(row);
  EXPECT_GT(row["floor_ms"].get<double>(), 0);
  EXPECT_DOUBLE_EQ(row["over_floor"].get<double>(),
                   row["fused_ms"].get<double>() / row["floor_ms"].get<double>());
}

TEST(Bench, ComparesConvolutionsWithLibTorchs) {
  const std::vector<json> rows = rows_of({"convolution", "--only", "video: (3,1,1) 64->128"});
  ASSERT_EQ(rows.size(), 4U);
  // 128 clips of 3 frames of 16 x 16; of nine taps over time two fall on the padding.
  const double flops = 2.0 * 128 * 64 * 128 * 7 * 256;
  double theirs = 0, ours = 0;
  for (size_t i = 0; i < 3; ++i) {
    const json& row = rows[i];
    EXPECT_EQ(row["network"], "video");
    EXPECT_THAT(row["layer"].get<std::string>(), HasSubstr("64->128"));
    EXPECT_TRUE(row["pass"].is_string());
    EXPECT_DOUBLE_EQ(row["ratio"].get<double>(),
                     row["reference_ms"].get<double>() / row["ours_ms"].get<double>());
    EXPECT_NEAR(row["gflops"].get<double>() * row["ours_ms"].get<double>() * 1e6, flops,
                1e-6 * flops);
    theirs += row["reference_ms"].get<double>();
    ours += row["ours_ms"].get<double>();
  }
  EXPECT_NEAR(rows[3]["summary"]["video"].get<double>(), theirs / ours, 1e-9);
}

TEST(Bench, ComparesWholeStepsInBothPrecisions) {
  if (json::parse(run_program({"info", "--json"}).out)["bf16_products"] == "none") {
    GTEST_SKIP() << "both would be float32";
  }
  const std::vector<json> rows = rows_of({"convolution", "--only", "video step, byol"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["pass"], "step");
  EXPECT_EQ(rows[1]["summary"]["video step, byol"], rows[0]["ratio"]);
}

TEST(Bench, PrintsATableAndAppendsRecordsWithTheirContext) {
  const TemporaryDirectory folder;
  const auto path = folder.path() / "bench.jsonl";
  for (size_t times = 1; times <= 2; ++times) {
    const Result result = run_program(
        {"bench", "--repeats", "1", "--only", "AdamW", "--records", path.string()}, folder.path());
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("reference ms"));
    EXPECT_THAT(result.out, HasSubstr("AdamW step, 45000 parameters"));
    EXPECT_EQ(lines_in(path), times);
  }
  const json record = storage::read_json_lines(path)[0];
  expect_row(record);
  EXPECT_EQ(record["kind"], "bench");
  for (const char* key : {"commit", "time", "peak_gflops"}) EXPECT_TRUE(record.contains(key));
  for (const char* key : {"cpu", "cores", "simd"}) EXPECT_TRUE(record["host"].contains(key));
}

TEST(Bench, RecordsSayMoreThanPrintedRows) {
  const TemporaryDirectory folder;
  const auto path = folder.path() / "bench.jsonl";
  const auto record_of = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> asked = arguments;
    asked.insert(asked.end(), {"--records", path.string()});
    const std::vector<json> printed = rows_of(asked);
    const std::vector<json> records = storage::read_json_lines(path);
    std::filesystem::remove(path);
    EXPECT_EQ(printed.size(), records.size());
    EXPECT_FALSE(printed[0].contains("commit"));
    for (const auto& [key, value] : printed[0].items()) EXPECT_EQ(records[0][key], value) << key;
    for (const char* key : {"commit", "time"}) EXPECT_TRUE(records[0].contains(key)) << key;
    EXPECT_EQ(records[0]["kind"], "bench");
    for (const char* key : {"cpu", "cores"}) EXPECT_TRUE(records[0]["host"].contains(key)) << key;
    return records[0];
  };
  const json photos = record_of({"data", "--only", "178"});
  EXPECT_EQ(photos["threads"], 1);
  EXPECT_EQ(photos["repeats"], 1);
  EXPECT_TRUE(photos["host"].contains("simd"));
  const json layer = record_of({"convolution", "--only", "video: (3,1,1) 64->128"});
  EXPECT_TRUE(layer["host"].contains("products"));
  EXPECT_GT(layer["host"]["bf16_peak_gflops"].get<double>(), 0);
}

TEST(Bench, RefusesWhatItCannotMeasure) {
  const auto expect_mistake = [](std::vector<std::string> arguments, const char* message) {
    arguments.insert(arguments.begin(), "bench");
    const Result result = run_program(arguments);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  };
  expect_mistake({"--repeats", "0"}, "--repeats");
  expect_mistake({"--threads", "none"}, "--threads");
  expect_mistake({"--fast"}, "--fast");
  expect_mistake({"videos"}, "videos");
  expect_mistake({"--only", "teapot"}, "[bench] expected --only to be part of a row's name");
  expect_mistake({"convolution", "--only", "teapot"}, "'adassl bench convolution' shows all");
  expect_mistake({"--only", "AdamW", "--records", "/nowhere/bench.jsonl"}, "/nowhere/bench.jsonl");
}

}  // namespace
}  // namespace adassl::testing
