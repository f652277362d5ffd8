#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/program.h"
#include "support/temporary_directory.h"
#include "trust/process.h"

/// Promises about failing disks, each tested with a fault that the preloaded library injects. The
/// harness in tests/trust makes every operation fail; properties that it cannot observe are
/// asserted here.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using trust::Fault;
using trust::WithFault;

constexpr const char* kAllChanges = "create,write,rename,mkdir,truncate,unlink";

std::vector<std::string> lines_of(const fs::path& path) {
  std::istringstream in(bytes_of(path));
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// The index of the first such line, or the number of lines.
size_t place_of(const std::string& line, const std::vector<std::string>& lines) {
  return static_cast<size_t>(std::find(lines.begin(), lines.end(), line) - lines.begin());
}

TEST(Disk, ARunOnAReadOnlyDiskCanBeEvaluated) {
  const TemporaryDirectory folder;
  const fs::path run = folder / "run";
  ASSERT_EQ(run_program(small_train(run)).code, 0);
  const std::string before = bytes_of(run / "records.jsonl");
  const Fault read_only{kAllChanges, 1, "EROFS", (folder / "never").string()};
  const WithFault fault(read_only, run, folder / "counters");
  const Result result = run_program({"evaluate", run.string(), "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"kind\":\"evaluation\""));
  EXPECT_THAT(result.err, HasSubstr("Read-only file system; the results are only printed"));
  EXPECT_EQ(bytes_of(run / "records.jsonl"), before);
}

/// If the machine crashes, new names are lost unless their folder was synced afterwards.
TEST(Disk, NewFoldersAndFilesAreSyncedBeforeACheckpointRefersToThem) {
  const TemporaryDirectory folder;
  const fs::path root = folder / "disk";
  fs::create_directory(root);
  const Environment trace("ADASSL_FAULT_TRACE", (folder / "trace").string());
  const WithFault none({"any", 0, "", ""}, root, folder / "counters");
  const fs::path run = root / "a" / "b" / "run";
  ASSERT_EQ(run_program(small_train(run)).code, 0);
  const auto lines = lines_of(folder / "trace");
  const auto is_checkpoint = [&](const std::string& line) {
    return line.starts_with("rename " + (run / "checkpoints").string());
  };
  const auto first =
      static_cast<size_t>(std::find_if(lines.begin(), lines.end(), is_checkpoint) - lines.begin());
  ASSERT_LT(first, lines.size());
  const auto synced = [&](const fs::path& path) {
    return place_of("sync " + path.string(), lines);
  };
  for (const fs::path& parent : {root, root / "a", root / "a" / "b", run}) {
    EXPECT_LT(synced(parent), first) << parent;
  }
  EXPECT_LT(synced(run / "metrics.jsonl"), first);
  const size_t created = place_of("create " + (run / "metrics.jsonl").string(), lines);
  ASSERT_LT(created, first);
  const auto after = std::find(lines.begin() + static_cast<std::ptrdiff_t>(created), lines.end(),
                               "sync " + run.string());
  EXPECT_LT(static_cast<size_t>(after - lines.begin()), first) << "the entry of metrics.jsonl";
}

TEST(Disk, ACheckpointThatCannotBeRemovedCostsNothing) {
  const TemporaryDirectory folder;
  const std::vector<std::string> often = {"train.checkpoint_every=2"};
  ASSERT_EQ(run_program(small_train(folder / "plain", often)).code, 0);
  const fs::path run = folder / "run";
  Result result;
  {
    const WithFault fault({"unlink", 1, "EIO", (folder / "never").string()}, run / "checkpoints",
                          folder / "counters");
    result = run_program(small_train(run, often));
    EXPECT_GT(trust::read_counters(folder / "counters").fired, 0U);
  }
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(bytes_of(run / "metrics.jsonl"), bytes_of(folder / "plain" / "metrics.jsonl"));
  EXPECT_EQ(bytes_of(run / "encoder.safetensors"),
            bytes_of(folder / "plain" / "encoder.safetensors"));
}

TEST(Disk, ASignalEndsTheWaitForRoom) {
  const TemporaryDirectory folder;
  const std::vector<std::string> often = {"train.checkpoint_every=5"};
  ASSERT_EQ(run_program(small_train(folder / "plain", often)).code, 0);
  const fs::path run = folder / "run";
  {
    const WithFault full({"write", 1, "ENOSPC", (folder / "never").string()}, run / "checkpoints",
                         folder / "counters");
    const pid_t process = start_program(small_train(run, often), ".", folder / "errors");
    for (int i = 0;
         i < 3000 && bytes_of(folder / "errors").find("waiting for room") == std::string::npos;
         ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(process, SIGTERM);
    const trust::Ended ended = trust::wait_until_ended(process, folder / "errors");
    EXPECT_FALSE(ended.too_late);
    EXPECT_EQ(ended.code, 143) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("waiting for room"));
  }
  const Result result = run_program({"resume", run.string()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(bytes_of(run / "metrics.jsonl"), bytes_of(folder / "plain" / "metrics.jsonl"));
}

}  // namespace
}  // namespace adassl::testing
