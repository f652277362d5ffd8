#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/random.h"
#include "adassl/records/rule.h"
#include "adassl/records/run_records.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"
#include "adassl/storage/npy.h"
#include "adassl/storage/png.h"
#include "adassl/study/run.h"
#include "support/temporary_directory.h"

/// Small runs that go well or wrong, and what is said about them.
namespace adassl::study {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TemporaryDirectory;

/// A small run, on any data.
Config config_of(const std::vector<std::string>& overrides) {
  Config config = Config::from_text(R"(
    method = "adassl-v"
    [encoder]
    hidden = [64, 64]
    [optimizer]
    learning_rate = 2e-3
    [train]
    steps = 300
    batch = 128
    probe_every = 100
    [evaluate]
    suites = []
    watch = ["geometry", "utilisation"]
    [compute]
    threads = 1
  )",
                                    "health");
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return config;
}

/// The record of this kind with the largest step.
records::Record record_of(const fs::path& path, std::string_view kind) {
  const auto run = storage::RunDirectory::open(path, storage::RunDirectory::Lock::kNo);
  records::Record out;
  for (const records::Record& record : records::run_records(run)) {
    if (record.kind == kind) out = record;
  }
  return out;
}

json health_of_run(const std::vector<std::string>& overrides) {
  const TemporaryDirectory folder;
  Config config = config_of(overrides);
  config.override_with("data.mixing_candidates=10");
  start_run(std::move(config), folder / "run", {.quiet = true});
  const records::Record record = record_of(folder / "run", records::kHealth);
  EXPECT_EQ(record.final, true);
  if (std::getenv("ADASSL_SHOW_CURVES") != nullptr) {
    std::cout << record_of(folder / "run", records::kCurve).rest.dump(1) << "\n"
              << record.rest.dump(1) << std::endl;
  }
  return record.rest;
}

TEST(Health, OfARunThatLearnsIsGood) {
  for (const char* method : {"adassl-v", "adassl-s", "infonce", "byol"}) {
    const json health = health_of_run({std::string("method=") + method, "train.steps=600"});
    EXPECT_THAT(health.at("alarms"), IsEmpty()) << method << health.dump(1);
    EXPECT_EQ(health.at("well"), true);
    EXPECT_THAT(health.at("says").at(0).get<std::string>(), HasSubstr("It is learning"));
  }
}

TEST(Health, NamesTheCollapseOfAnEncoderWhoseWeightsDecayToZero) {
  const json health = health_of_run({"method=infonce", "optimizer.weight_decay=500"});
  EXPECT_EQ(health.at("alarms"), json({"collapse"})) << health.dump(1);
}

TEST(Health, NamesAnIdleR) {
  const json health = health_of_run({"latent.beta=1000"});
  EXPECT_THAT(health.at("alarms"), Contains("idle r")) << health.dump(1);
}

TEST(Health, NamesAnRThatCarriesEverything) {
  const json health = health_of_run({"latent.beta=0", "latent.dim=32", "train.steps=600"});
  EXPECT_THAT(health.at("alarms"), Contains("r alone")) << health.dump(1);
}

TEST(Health, NoticesThatNothingIsLearned) {
  const json health = health_of_run({"method=infonce", "optimizer.learning_rate=0"});
  EXPECT_EQ(health.at("alarms"), json({"no progress"})) << health.dump(1);
}

/// Windows that are all alike, as a paused recording has them.
TEST(Health, NamesIdenticalPairs) {
  const TemporaryDirectory folder;
  std::vector<float> values;
  for (int t = 0; t < 600; ++t) {
    for (int channel = 0; channel < 3; ++channel) {
      values.push_back(static_cast<float>(std::sin(0.5 * (t / 50) * (channel + 1))));
    }
  }
  storage::write_npy(folder / "signal.npy", storage::Dtype::kF32, {600, 3},
                     std::as_bytes(std::span(values)));
  Config config = config_of({"data.kind=files", "samples.kind=arrays", "pairing.kind=time",
                             "train.steps=20", "train.batch=32", "train.probe_every=10"});
  config.override_with("samples.path=" + to_toml((folder / "signal.npy").string()));
  start_run(std::move(config), folder / "run", {.quiet = true});
  const json health = record_of(folder / "run", records::kHealth).rest;
  EXPECT_THAT(health.at("alarms"), Contains("identical pairs")) << health.dump(1);
}

TEST(Watching, BeginsBeforeTheFirstStepAndChangesNoWeight) {
  const TemporaryDirectory folder;
  const auto small = [](const std::string& assignment) {
    return config_of({"train.steps=20", "data.mixing_candidates=10", assignment});
  };
  start_run(small("train.probe_every=10"), folder / "watched", {.quiet = true});
  start_run(small("evaluate.watch=[]"), folder / "alone", {.quiet = true});
  const auto weights = [&](const char* run) {
    const std::string bytes = storage::read_file(folder / run / "encoder.safetensors", 1 << 24);
    uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    return bytes.substr(sizeof header + header);
  };
  EXPECT_EQ(weights("watched"), weights("alone"));
  const auto lines = storage::read_json_lines(folder / "watched" / "metrics.jsonl");
  ASSERT_EQ(lines.size(), 4U);  // 0, 1, 10, 20
  EXPECT_EQ(lines[0].at("step"), 0);
  EXPECT_FALSE(lines[0].contains("loss"));
  EXPECT_TRUE(lines[0].contains("rankme"));
  EXPECT_FALSE(lines[1].contains("rankme"));
  EXPECT_EQ(storage::read_json_lines(folder / "alone" / "metrics.jsonl").size(), 2U);  // 1, 20
  const json points = record_of(folder / "watched", records::kCurve).rest.at("points");
  EXPECT_EQ(points.at("step"), json({0, 10, 20}));
  EXPECT_TRUE(points.at("loss").at(0).is_null());
}

/// Ends the training after a step, as a signal would.
class StopAt final : public training::Observer {
 public:
  explicit StopAt(int64_t step) : step_(step) {}
  training::Flow on_step(const training::StepReport& report) override {
    return report.step == step_ ? training::Flow::kStop : training::Flow::kContinue;
  }

 private:
  int64_t step_;
};

/// A folder for each of 30 colours, with six pictures of it.
void write_pictures(const fs::path& folder) {
  random::Sequence draws = random::Stream(1, "pictures").at(0);
  for (int thing = 0; thing < 30; ++thing) {
    const fs::path place = folder / fmt::format("thing {:02}", thing);
    fs::create_directories(place);
    for (int photo = 0; photo < 6; ++photo) {
      storage::Image image = storage::make_image(12, 12, 3);
      const double light = 0.5 + 0.5 * draws.uniform();
      for (size_t i = 0; i < image.pixels.size(); ++i) {
        const int colour = thing >> (i % 3) & 1 ? 200 : 20 + thing;
        image.pixels[i] = static_cast<uint8_t>(light * colour);
      }
      storage::write_png(place / fmt::format("{}.png", photo), image);
    }
  }
}

Config pictures_config(const fs::path& folder) {
  Config config = config_of({"train.steps=16", "train.batch=16", "train.probe_every=4",
                             "train.checkpoint_every=1", "views.size=8", "encoder.out=8",
                             "evaluate.watch_pairs=64"});
  config.override_with("data.kind=files");
  config.override_with("data.validation=0.2");
  config.override_with("samples.kind=images");
  config.override_with("samples.index=none");
  config.override_with("samples.path=" + to_toml(folder.string()));
  config.override_with("pairing.kind=group");
  config.override_with("views.kind=weak");
  return config;
}

TEST(Neighbours, OfFixedPicturesAreRecordedOnTheWay) {
  const TemporaryDirectory folder;
  write_pictures(folder / "pictures");
  start_run(pictures_config(folder / "pictures"), folder / "run", {.quiet = true});
  const auto run = storage::RunDirectory::open(folder / "run", storage::RunDirectory::Lock::kNo);
  std::vector<int64_t> steps;
  std::vector<std::string> first;
  for (const records::Record& record :
       records::counting(records::run_records(run), records::hash_of(run))) {
    if (record.kind != records::kNeighbours) continue;
    steps.push_back(*record.step);
    EXPECT_EQ(record.rest.at("held_out"), true);
    const json& samples = record.rest.at("samples");
    ASSERT_EQ(samples.size(), 6U);
    std::vector<std::string> names;
    for (const json& sample : samples) {
      names.push_back(sample.at("name"));
      EXPECT_EQ(sample.at("others").size(), 4U);
      for (const json& other : sample.at("others")) EXPECT_NE(other.at("name"), names.back());
    }
    if (first.empty()) first = names;
    EXPECT_EQ(names, first) << "the same samples at each step";
  }
  EXPECT_EQ(steps, (std::vector<int64_t>{0, 2, 8, 16}));
}

TEST(Neighbours, AreSaidToBeOfTrainingSamplesWhereNothingIsHeldOut) {
  const TemporaryDirectory folder;
  write_pictures(folder / "pictures");
  Config config = pictures_config(folder / "pictures");
  config.override_with("data.validation=0");
  config.override_with("train.steps=1");
  start_run(std::move(config), folder / "run", {.quiet = true});
  const json neighbours = record_of(folder / "run", records::kNeighbours).rest;
  EXPECT_EQ(neighbours.at("held_out"), false);
  EXPECT_EQ(neighbours.at("samples").size(), 6U);
}

TEST(Neighbours, AndWatchedNumbersAreTheSameInAResumedRun) {
  const TemporaryDirectory folder;
  write_pictures(folder / "pictures");
  start_run(pictures_config(folder / "pictures"), folder / "whole", {.quiet = true});
  Conduct stopping{.quiet = true};
  stopping.observers = {std::make_shared<StopAt>(5)};
  start_run(pictures_config(folder / "pictures"), folder / "parts", stopping);
  const RunOutcome outcome = resume_run(folder / "parts", {.quiet = true});
  EXPECT_EQ(outcome.step, 16);
  const auto bytes = [&](const char* run, const char* file) {
    return storage::read_file(folder / run / file, 1 << 26);
  };
  EXPECT_EQ(bytes("parts", "metrics.jsonl"), bytes("whole", "metrics.jsonl"));
  EXPECT_EQ(bytes("parts", "encoder.safetensors"), bytes("whole", "encoder.safetensors"));
  const auto neighbours = [&](const char* run) {
    std::vector<json> out;
    for (const json& line : storage::read_json_lines(folder / run / "records.jsonl")) {
      if (line.at("kind") == "neighbours") out.push_back(line.at("samples"));
    }
    return out;
  };
  EXPECT_EQ(neighbours("parts"), neighbours("whole"));
  EXPECT_EQ(neighbours("parts").size(), 4U);
}

}  // namespace
}  // namespace adassl::study
