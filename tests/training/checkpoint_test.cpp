#include "adassl/training/checkpoint.h"

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/storage/file.h"
#include "adassl/training/observers.h"
#include "support/child_process.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"
#include "training/small_run.h"

namespace adassl::training {
namespace {

using testing::SmallRun;
using testing::TemporaryDirectory;

constexpr auto kIgnore = [](const std::string&) {};

storage::RunDirectory run_in(const std::filesystem::path& folder) {
  testing::put(folder / "config.toml", "");
  return storage::RunDirectory::open(folder, storage::RunDirectory::Lock::kNo);
}

std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& item : std::filesystem::directory_iterator(folder)) {
    out.push_back(item.path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Parameters, both moments and every buffer, as bytes.
std::string bytes_of(const SmallRun& run, const std::filesystem::path& folder) {
  const auto path = save_checkpoint(run.state, folder, {"hash"}, 100);
  return storage::read_file(path, 1 << 24);
}

TEST(Checkpoint, RestoresEveryBit) {
  const TemporaryDirectory folder;
  SmallRun trained;
  trained.train();
  const std::string saved = bytes_of(trained, folder.path());
  SmallRun fresh;
  const auto loaded = load_newest_checkpoint(fresh.state, folder.path(), "hash", kIgnore);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(fresh.state.step, 12);
  const TemporaryDirectory other;
  EXPECT_EQ(bytes_of(fresh, other.path()), saved);
}

TEST(Checkpoint, ARunSplitAtAnyStepEqualsTheWholeRun) {
  for (const std::string method : {"adassl-v", "adassl-s", "hinfonce-mlp"}) {
    const TemporaryDirectory folder;
    SmallRun whole(method);
    whole.train();
    const std::string expected = bytes_of(whole, folder.path());
    for (const int64_t at : {1, 5, 11}) {
      const TemporaryDirectory parts;
      SmallRun first(method);
      first.experiment.loop.steps = at;
      first.train();
      save_checkpoint(first.state, parts.path(), {"hash"}, 3);
      SmallRun second(method);
      load_newest_checkpoint(second.state, parts.path(), "hash", kIgnore);
      second.train();
      EXPECT_EQ(bytes_of(second, parts.path()), expected) << method << " split at " << at;
    }
  }
}

TEST(Checkpoint, KeepsOnlyTheNewest) {
  const TemporaryDirectory folder;
  SmallRun run;
  for (run.state.step = 1; run.state.step <= 5; ++run.state.step) {
    save_checkpoint(run.state, folder.path(), {"hash"}, 2);
  }
  EXPECT_EQ(files_in(folder.path()), (std::vector<std::string>{"step-0000000000004.safetensors",
                                                               "step-0000000000005.safetensors"}));
}

TEST(Checkpoint, OfALaterStepGivesWayToTheOneThatIsSaved) {
  // The newest checkpoint is damaged and was passed over. The run is now at an earlier step, and
  // its new checkpoints must not be deleted in favour of the damaged one.
  const TemporaryDirectory folder;
  testing::put(folder.path() / "step-0000000000900.safetensors", "damaged");
  SmallRun run;
  run.state.step = 7;
  save_checkpoint(run.state, folder.path(), {"hash"}, 1);
  EXPECT_EQ(files_in(folder.path()), (std::vector<std::string>{"step-0000000000007.safetensors"}));
}

TEST(Checkpoint, IsNotMadeOfWeightsThatAreNotFinite) {
  const TemporaryDirectory folder;
  Log log(folder.path() / "log.txt");
  SmallRun run;
  const ObserverOptions options{.keep_checkpoints = 1};
  MetricsObserver metrics(options, run_in(folder.path()), nullptr, log);
  const auto checkpoints = folder.path() / "checkpoints";
  std::filesystem::create_directories(checkpoints);
  CheckpointObserver saves(options, run.state, checkpoints, {"hash"}, metrics, log);
  run.state.step = 1;
  saves.on_end(1);
  run.state.parameters.values[0] = NAN;
  run.state.step = 2;
  saves.on_end(2);
  EXPECT_EQ(files_in(checkpoints), (std::vector<std::string>{"step-0000000000001.safetensors"}));
}

TEST(Checkpoint, NeverHoldsStatisticsOrMomentsThatAreNotFinite) {
  SmallRun run;
  EXPECT_EQ(not_finite(run.state), "");
  bool tried = false;
  for (const auto& item : run.experiment.method->named_buffers()) {
    if (!item.key().ends_with("running_var")) continue;
    const Tensor before = item.value().clone();
    item.value()[0] = INFINITY;
    EXPECT_EQ(not_finite(run.state), "buffer/" + item.key());
    item.value().copy_(before);
    tried = true;
  }
  EXPECT_TRUE(tried);
  run.state.optimizer.second_moment[0] = NAN;
  EXPECT_THAT(not_finite(run.state), ::testing::StartsWith("adamw.second/"));
}

TEST(Checkpoint, ADamagedOneIsNamedAndTheOneBeforeIsUsed) {
  const TemporaryDirectory folder;
  SmallRun run;
  run.state.step = 1;
  save_checkpoint(run.state, folder.path(), {"hash"}, 3);
  run.state.step = 2;
  const auto newest = save_checkpoint(run.state, folder.path(), {"hash"}, 3);
  for (const bool truncated : {false, true}) {
    std::string bytes = storage::read_file(newest, 1 << 24);
    if (truncated) {
      bytes.resize(bytes.size() / 2);
    } else {
      bytes[bytes.size() - 100] = static_cast<char>(bytes[bytes.size() - 100] ^ 1);
    }
    storage::write_atomically(newest, bytes);
    std::vector<std::string> warnings;
    SmallRun fresh;
    const auto loaded = load_newest_checkpoint(fresh.state, folder.path(), "hash",
                                               [&](const auto& line) { warnings.push_back(line); });
    ASSERT_TRUE(loaded);
    EXPECT_EQ(fresh.state.step, 1);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0], ::testing::HasSubstr(newest.string()));
    EXPECT_THAT(warnings[0], ::testing::HasSubstr("passed over"));
  }
}

/// Replaces a piece of the file, which keeps its length.
void replace_in(const std::filesystem::path& path, const std::string& old, const std::string& by) {
  ASSERT_EQ(old.size(), by.size());
  std::string bytes = storage::read_file(path, 1 << 24);
  const size_t at = bytes.find(old);
  ASSERT_NE(at, std::string::npos) << old;
  storage::write_atomically(path, bytes.replace(at, old.size(), by));
}

TEST(Checkpoint, WithAChangedHeaderIsDamagedAndNotOfAnotherModel) {
  for (const auto& [old, by] : {std::pair("\"shape\":[16,10]", "\"shape\":[10,16]"),
                                std::pair("\"step\":\"2\"", "\"step\":\"3\""),
                                std::pair("\"computed_by\":\"us\"", "\"computed_by\":\"me\""),
                                std::pair("\"metrics_bytes\":\"7\"", "\"metrics_bytes\":\"6\"")}) {
    const TemporaryDirectory folder;
    SmallRun run;
    run.state.step = 1;
    save_checkpoint(run.state, folder.path(), {"hash"}, 3);
    run.state.step = 2;
    const auto newest = save_checkpoint(run.state, folder.path(), {"hash", "us", {7, "sum"}}, 3);
    replace_in(newest, old, by);
    SmallRun fresh;
    const auto loaded = load_newest_checkpoint(fresh.state, folder.path(), "hash", kIgnore);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(fresh.state.step, 1) << old;
  }
}

TEST(Checkpoint, SaysWhereItComesFrom) {
  const TemporaryDirectory folder;
  SmallRun run;
  save_checkpoint(run.state, folder.path(), {"hash", "us", {7, "sum"}}, 3);
  const auto loaded = load_newest_checkpoint(run.state, folder.path(), "hash", kIgnore);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->origin.computed_by, "us");
  EXPECT_EQ(loaded->origin.metrics, (storage::Extent{7, "sum"}));
}

TEST(Checkpoint, OfAnotherConfigurationIsAnError) {
  const TemporaryDirectory folder;
  SmallRun run;
  save_checkpoint(run.state, folder.path(), {"one"}, 3);
  EXPECT_THROW(load_newest_checkpoint(run.state, folder.path(), "two", kIgnore), OfAnotherRun);
}

TEST(Checkpoint, OfAnotherModelIsAnErrorAndLeavesTheModelAlone) {
  const TemporaryDirectory folder;
  SmallRun small;
  save_checkpoint(small.state, folder.path(), {"hash"}, 3);
  SmallRun other("infonce");
  const Tensor before = other.state.parameters.values.clone();
  EXPECT_THROW(load_newest_checkpoint(other.state, folder.path(), "hash", kIgnore), OfAnotherRun);
  EXPECT_TRUE(torch::equal(other.state.parameters.values, before));
}

TEST(Checkpoint, ThatCannotBeReadIsAnErrorUnlessThereIsAnother) {
  const TemporaryDirectory folder;
  SmallRun run;
  EXPECT_FALSE(load_newest_checkpoint(run.state, folder.path() / "none", "hash", kIgnore));
  testing::put(folder.path() / "step-0000000000900.safetensors", "damaged");
  EXPECT_EQ(
      testing::error_of([&] { load_newest_checkpoint(run.state, folder.path(), "hash", kIgnore); }),
      "[" + folder.path().string() +
          "] none of 1 checkpoints can be read; to begin anew, remove them");
}

TEST(Checkpoint, AFullDiskCostsTheNewCheckpointNotTheRun) {
  const TemporaryDirectory folder;
  const auto checkpoints = folder.path() / "checkpoints";
  std::filesystem::create_directories(checkpoints);
  SmallRun whole;
  whole.train();
  const std::string expected = bytes_of(whole, folder.path());
  class FillDisk final : public Observer {  // no file may grow beyond 4 KiB, from step 4 to step 8
   public:
    Flow on_step(const StepReport& report) override {
      if (report.step == 4) testing::limit_file_size(4096);
      if (report.step == 8) testing::limit_file_size(RLIM_INFINITY);
      return Flow::kContinue;
    }
  };
  Log log(folder.path() / "log.txt");
  SmallRun run;
  const ObserverOptions options{
      .log_every = 1, .probe_every = 0, .checkpoint_every = 3, .keep_checkpoints = 9};
  auto metrics = std::make_shared<MetricsObserver>(options, run_in(folder.path()), nullptr, log);
  auto saves = std::make_shared<CheckpointObserver>(options, run.state, checkpoints, Origin{"hash"},
                                                    *metrics, log);
  run.train({metrics, saves, std::make_shared<FillDisk>()});
  EXPECT_EQ(run.state.step, 12);
  EXPECT_EQ(
      files_in(checkpoints),  // 6 is missing, nothing half-written is left
      (std::vector<std::string>{"step-0000000000003.safetensors", "step-0000000000009.safetensors",
                                "step-0000000000012.safetensors"}));
  SmallRun saved;
  load_newest_checkpoint(saved.state, checkpoints, "hash", kIgnore);
  EXPECT_EQ(bytes_of(saved, folder.path()), expected);
  EXPECT_EQ(storage::read_json_lines(folder.path() / "metrics.jsonl").size(), 12U);
  EXPECT_THAT(storage::read_file(folder.path() / "log.txt", 1 << 20),
              ::testing::HasSubstr("no checkpoint at step 6, older ones stay"));
}

}  // namespace
}  // namespace adassl::training
