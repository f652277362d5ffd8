#include <filesystem>

#include <gtest/gtest.h>

#include "adassl/records/run_records.h"
#include "adassl/storage/file.h"
#include "adassl/training/observers.h"
#include "support/temporary_directory.h"

namespace adassl::training {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;

storage::RunDirectory run_in(const fs::path& folder) {
  fs::create_directories(folder);
  testing::put(folder / "config.toml", "");
  return storage::RunDirectory::open(folder, storage::RunDirectory::Lock::kNo);
}

const Terms kTerms = {{{.name = "loss", .label = "training loss"}, 2.5}};
const Terms kProbes = {{{.name = "score", .label = "a score"}, 0.5}};

/// Steps first to last of four, with a probe at steps 2 and 4.
void observe(const storage::RunDirectory& run, Log& log, int64_t first, int64_t last) {
  MetricsObserver metrics(
      {.log_every = 1, .probe_every = 2}, run, [] { return kProbes; }, log);
  metrics.on_start(first - 1);
  for (int64_t step = first; step <= last; ++step) metrics.on_step({step, 4, 1, kTerms, 0});
  metrics.sync();
}

std::string described(const storage::RunDirectory& run) {
  return storage::read_file(run.descriptions(), 1 << 20);
}

TEST(Descriptions, OfTermsAreThereFromTheFirstStepOn) {
  const TemporaryDirectory folder;
  const auto run = run_in(folder.path());
  Log log(folder.path() / "log.txt");
  observe(run, log, 1, 1);
  EXPECT_EQ(records::read_descriptions(run.descriptions()),
            (Descriptions{{"loss", kTerms[0].first}, {"score", kProbes[0].first}}));
  EXPECT_EQ(storage::read_file(run.metrics(), 1 << 20),
            "{\"step\":0,\"score\":0.5}\n{\"step\":1,\"loss\":2.5}\n");
}

TEST(Descriptions, AreTheSameBytesWhereverARunWasStopped) {
  const TemporaryDirectory folder;
  const auto whole = run_in(folder.path() / "whole");
  Log log(folder.path() / "log.txt");
  observe(whole, log, 1, 4);
  EXPECT_EQ(records::read_descriptions(whole.descriptions()).size(), 2U);
  for (const int64_t at : {1, 2, 3}) {
    const auto parts = run_in(folder.path() / std::to_string(at));
    observe(parts, log, 1, at);
    observe(parts, log, at + 1, 4);
    EXPECT_EQ(described(parts), described(whole)) << at;
  }
}

TEST(Descriptions, ThatAreDamagedAreWrittenAgain) {
  const TemporaryDirectory folder;
  const auto run = run_in(folder.path());
  Log log(folder.path() / "log.txt");
  observe(run, log, 1, 2);
  const std::string expected = described(run);
  testing::put(run.descriptions(), "{\"lo");
  observe(run, log, 3, 4);
  EXPECT_EQ(described(run), expected);
}

TEST(Descriptions, ThatCannotBeWrittenStopNoStepButKeepACheckpointWaiting) {
  const TemporaryDirectory folder;
  const auto run = run_in(folder.path());
  Log log(folder.path() / "log.txt");
  fs::create_directories(run.descriptions() / "in the way");
  MetricsObserver metrics({.log_every = 1, .probe_every = 0}, run, nullptr, log);
  EXPECT_EQ(metrics.on_step({1, 4, 1, kTerms, 0}), Flow::kContinue);
  EXPECT_THROW(metrics.sync(), WriteError);
  fs::remove_all(run.descriptions());
  metrics.sync();
  EXPECT_EQ(records::read_descriptions(run.descriptions()).size(), 1U);
}

}  // namespace
}  // namespace adassl::training
