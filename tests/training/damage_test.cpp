#include <algorithm>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/random.h"
#include "adassl/storage/file.h"
#include "support/temporary_directory.h"
#include "training/small_run.h"

namespace adassl::training {
namespace {

using testing::SmallRun;
using testing::TemporaryDirectory;

/// The number of trials: few in `make test`, ten thousand in `make trust`.
int64_t trials(const char* variable, int64_t otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::stoll(value);
}

/// A folder with whole checkpoints of steps 1 and 2, whose weights differ, to damage the second.
class DamagedCheckpoint : public ::testing::Test {
 protected:
  void SetUp() override {
    save(1);
    path_ = save(2);
    whole_ = storage::read_file(path_, 1 << 24);
  }

  /// Loads the newest readable checkpoint. Its state must be that of step 1 or, if the damage has
  /// no effect, that of step 2. Returns the step.
  int64_t load() {
    int64_t warnings = 0;
    run_.state.parameters.values.zero_();
    const auto loaded = load_newest_checkpoint(run_.state, folder_.path(), "hash",
                                               [&](const auto&) { ++warnings; });
    EXPECT_TRUE(loaded);
    EXPECT_EQ(warnings, run_.state.step == 1 ? 1 : 0);
    const double mean = run_.state.parameters.values.mean().item<double>();
    EXPECT_EQ(mean, static_cast<double>(run_.state.step)) << "weights of another step";
    return run_.state.step;
  }

  std::string whole_;
  std::filesystem::path path_;

 private:
  std::filesystem::path save(int64_t step) {
    run_.state.step = step;
    run_.state.parameters.values.fill_(static_cast<double>(step));
    return save_checkpoint(run_.state, folder_.path(), {"hash", "us", {7, "sum"}}, 3);
  }

  TemporaryDirectory folder_;
  SmallRun run_;
};

void tell(const std::string& promise, int64_t tried, bool held) {
  std::cout << fmt::format(R"({{"promise": "{}", "tried": {}, "held": {}}})", promise, tried,
                           held ? tried : 0)
            << std::endl;
}

TEST_F(DamagedCheckpoint, WithAnyBitFlippedIsPassedOver) {
  const int64_t count = trials("ADASSL_TRUST_FLIPS", 400);
  random::Sequence draws = random::Stream(1, "flips").at(0);
  for (int64_t i = 0; i < count && !HasFailure(); ++i) {
    std::string bytes = whole_;
    // Every other flip hits the header, which is a small part of the file.
    const uint64_t range = i % 2 == 0 ? bytes.size() : std::min<uint64_t>(bytes.size(), 4096);
    const uint64_t at = draws.below(range);
    const uint64_t bit = draws.below(8);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    testing::put(path_, bytes);
    EXPECT_EQ(load(), 1) << "byte " << at << ", bit " << bit;
  }
  tell("a checkpoint with a flipped bit is passed over for the one before", count, !HasFailure());
}

TEST_F(DamagedCheckpoint, CutShortIsPassedOver) {
  const int64_t count = trials("ADASSL_TRUST_TRUNCATIONS", 100);
  random::Sequence draws = random::Stream(1, "truncations").at(0);
  for (int64_t i = 0; i < count && !HasFailure(); ++i) {
    const uint64_t length = draws.below(whole_.size());
    testing::put(path_, whole_.substr(0, length));
    EXPECT_EQ(load(), 1) << length << " bytes";
  }
  tell("a checkpoint that was cut short is passed over for the one before", count, !HasFailure());
}

}  // namespace
}  // namespace adassl::training
