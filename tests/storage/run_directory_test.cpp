#include "adassl/storage/run_directory.h"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/child_process.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::in_child;
using testing::put;
using testing::TemporaryDirectory;
using Lock = RunDirectory::Lock;

TEST(RunDirectory, IsMadeWithItsParentsAndCheckpoints) {
  const TemporaryDirectory folder;
  const RunDirectory run = RunDirectory::create(folder / "runs/deep/a");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "runs/deep/a/checkpoints"));
  EXPECT_EQ(run.path(), folder / "runs/deep/a");
}

TEST(RunDirectory, KnowsWhereEverythingLies) {
  const TemporaryDirectory folder;
  const RunDirectory run = RunDirectory::create(folder / "a");
  EXPECT_EQ(run.config(), folder / "a/config.toml");
  EXPECT_EQ(run.metrics(), folder / "a/metrics.jsonl");
  EXPECT_EQ(run.descriptions(), folder / "a/describe.json");
  EXPECT_EQ(run.records(), folder / "a/records.jsonl");
  EXPECT_EQ(run.timing(), folder / "a/timing.jsonl");
  EXPECT_EQ(run.log(), folder / "a/log.txt");
  EXPECT_EQ(run.checkpoints(), folder / "a/checkpoints");
  EXPECT_EQ(run.encoder(), folder / "a/encoder.safetensors");
  EXPECT_EQ(run.report(), folder / "a/report.html");
}

TEST(RunDirectory, IsCalledByItsFolderAndWhatThatIsASeedOf) {
  const TemporaryDirectory folder;
  const auto name = [&](const char* path) { return RunDirectory::create(folder / path).name(); };
  EXPECT_EQ(name("table/own"), "own");
  EXPECT_EQ(name("table/adassl-v/seed-1"), "adassl-v/seed-1");
  EXPECT_EQ(name("table/slash/"), "slash");
  EXPECT_EQ(name("table/gone/../seed-2/."), "table/seed-2");
}

TEST(RunDirectory, IsNotMadeWhereSomethingLies) {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder / "a");
  put(folder / "a/config.toml", "");
  const std::string name = (folder / "a").string();
  EXPECT_EQ(error_of([&] { RunDirectory::create(folder / "a"); }),
            "[" + name + "] already holds a run; resume it with 'adassl resume " + name +
                "', or choose another --run");
  put(folder / "file", "");
  EXPECT_THAT(error_of([&] { RunDirectory::create(folder / "file"); }), HasSubstr("got a file"));
  EXPECT_THAT(error_of([&] { RunDirectory::create(folder / "file/a"); }),
              HasSubstr("cannot be made: Not a directory"));
}

TEST(RunDirectory, IsMadeInAnEmptyFolderAndAfterAFailedStart) {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder / "a");
  EXPECT_NO_THROW(RunDirectory::create(folder / "a"));
  EXPECT_NO_THROW(RunDirectory::create(folder / "a"));  // no config.toml was written
  put(folder / "a/given.toml", "");
  put(folder / "a/quarantine.jsonl", "");
  EXPECT_NO_THROW(RunDirectory::create(folder / "a")) << "it died before config.toml was written";
  put(folder / "a/checkpoints/step", "");
  EXPECT_THROW(RunDirectory::create(folder / "a"), Error);
}

TEST(RunDirectory, OpensOnlyARun) {
  const TemporaryDirectory folder;
  const std::string name = folder.path().string();
  EXPECT_EQ(error_of([&] { RunDirectory::open(folder / "a", Lock::kNo); }),
            "[" + name + "/a] no such run directory");
  EXPECT_EQ(error_of([&] { RunDirectory::open(folder.path(), Lock::kYes); }),
            "[" + name + "] is not a run directory: no config.toml");
  EXPECT_EQ(folder.entries(), 0U);
  put(folder / "config.toml", "");
  EXPECT_NO_THROW(RunDirectory::open(folder.path(), Lock::kNo));
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_NO_THROW(RunDirectory::open(folder.path(), Lock::kYes));
  EXPECT_THAT(error_of([&] { RunDirectory::open(folder / "config.toml", Lock::kNo); }),
              HasSubstr("expected a run directory, got a file"));
}

TEST(RunDirectory, IsUsedByOneProcessAtATime) {
  const TemporaryDirectory folder;
  std::optional<RunDirectory> run = RunDirectory::create(folder / "a");
  put(run->config(), "");
  const auto open_elsewhere = [&](Lock lock) {
    return in_child([&] { return error_of([&] { RunDirectory::open(folder / "a", lock); }); });
  };
  const std::string in_use = "[" + (folder / "a").string() + "] is in use by another process";
  EXPECT_EQ(open_elsewhere(Lock::kYes), in_use);
  EXPECT_EQ(open_elsewhere(Lock::kNo), "(no error)");
  RunDirectory moved = std::move(*run);
  run.reset();
  EXPECT_EQ(open_elsewhere(Lock::kYes), in_use);
  EXPECT_EQ(error_of([&] { RunDirectory::open(folder / "a", Lock::kYes); }), in_use);
  { const RunDirectory last = std::move(moved); }
  EXPECT_EQ(open_elsewhere(Lock::kYes), "(no error)");
}

TEST(RunDirectory, ThatTheSystemDoesNotLockIsNotSimplyAMistake) {
  const TemporaryDirectory folder;
  std::filesystem::create_directories(folder / "a/checkpoints");
  put(folder / "a/config.toml", "");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(folder / "a", std::filesystem::perms(0311));
  EXPECT_EQ(in_child([&]() -> std::string {
              testing::drop_privileges();
              try {
                RunDirectory::open(folder / "a", Lock::kYes);
                return "it was locked";
              } catch (const SystemError& error) {
                return error.what();
              }
            }),
            "[" + (folder / "a").string() + "] cannot be locked: Permission denied");
}

TEST(RunDirectory, StaysLockedWhateverIsDeletedInIt) {
  const TemporaryDirectory folder;
  const RunDirectory run = RunDirectory::create(folder / "a");
  put(run.config(), "");
  std::filesystem::remove(folder / "a/lock");
  EXPECT_THAT(
      in_child([&] { return error_of([&] { RunDirectory::open(folder / "a", Lock::kYes); }); }),
      HasSubstr("is in use by another process"));
}

TEST(RunDirectory, IsNotWrittenThroughLinks) {
  const TemporaryDirectory folder;
  put(folder / "foreign", "somebody's");
  std::filesystem::create_directory(folder / "elsewhere");
  for (const char* name : {"log.txt", "records.jsonl", "metrics.jsonl", "checkpoints"}) {
    const auto path = folder / "run" / name;
    std::filesystem::create_directories(folder / "run");
    put(folder / "run/config.toml", "");
    std::filesystem::create_symlink(
        folder / (std::string_view(name) == "checkpoints" ? "elsewhere" : "foreign"), path);
    EXPECT_EQ(
        error_of([&] { RunDirectory::open(folder / "run", Lock::kYes); }),
        "[" + path.string() + "] is a symbolic link; a run keeps its files in its own folder");
    EXPECT_NO_THROW(RunDirectory::open(folder / "run", Lock::kNo)) << "reading harms nobody";
    std::filesystem::remove_all(folder / "run");
  }
}

TEST(RunDirectory, FreshNamesCountUp) {
  const TemporaryDirectory folder;
  EXPECT_EQ(RunDirectory::fresh_name(folder / "runs", "digits"), folder / "runs/digits");
  std::filesystem::create_directories(folder / "runs/digits");
  EXPECT_EQ(RunDirectory::fresh_name(folder / "runs", "digits"), folder / "runs/digits-2");
  std::filesystem::create_directories(folder / "runs/digits-2");
  EXPECT_EQ(RunDirectory::fresh_name(folder / "runs", "digits"), folder / "runs/digits-3");
}

TEST(RunDirectory, ClearsAwayWhatKilledWritersLeft) {
  const testing::TemporaryDirectory folder;
  const auto path = folder / "run";
  std::filesystem::create_directories(path / "checkpoints");
  testing::put(path / ".config.toml.12-0.tmp", "half");
  {
    const RunDirectory run = RunDirectory::create(path);  // no run is there yet
    EXPECT_FALSE(std::filesystem::exists(path / ".config.toml.12-0.tmp"));
    testing::put(run.config(), "");
  }
  testing::put(path / "checkpoints" / ".step-1.safetensors.12-1.tmp", "half");
  const RunDirectory again = RunDirectory::open(path, RunDirectory::Lock::kYes);
  EXPECT_TRUE(std::filesystem::is_empty(again.checkpoints()));
}

}  // namespace
}  // namespace adassl::storage
