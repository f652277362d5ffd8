#include "adassl/kernels/threads.h"

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/kernels/simd.h"

namespace adassl::kernels {
namespace {

class Threads : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_threads(GetParam()); }
  void TearDown() override { set_threads(1); }
};

TEST_P(Threads, RunEveryTaskOnce) {
  EXPECT_EQ(threads(), GetParam());
  for (const int64_t count : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
    parallel_for(count, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
    for (const auto& run : runs) EXPECT_EQ(run, 1);
  }
}

TEST_P(Threads, SeeWhatThePhaseBeforeThemWrote) {
  constexpr int64_t kCount = 64;
  std::vector<int64_t> values(kCount, 0);
  for (int phase = 0; phase < 500; ++phase) {
    std::vector<int64_t> next(kCount);
    parallel_for(kCount, [&](int64_t i) {
      next[static_cast<size_t>(i)] = values[static_cast<size_t>((i + 1) % kCount)] + 1;
    });
    values = next;
  }
  EXPECT_EQ(values, std::vector<int64_t>(kCount, 500));
}

TEST_P(Threads, MayBeAskedFromInsideATask) {
  std::atomic<int> runs = 0;
  parallel_for(8, [&](int64_t) { parallel_for(8, [&](int64_t) { ++runs; }); });
  EXPECT_EQ(runs, 64);
}

TEST_P(Threads, MayBeAskedByTwoAtOnce) {
  std::atomic<int64_t> sum = 0;
  const auto ask = [&] {
    for (int i = 0; i < 200; ++i) parallel_for(16, [&](int64_t k) { sum += k; });
  };
  std::thread other(ask);
  ask();
  other.join();
  EXPECT_EQ(sum, 2 * 200 * 120);
}

TEST_P(Threads, HandOnTheExceptionOfTheFirstTaskThatThrew) {
  std::atomic<int> runs = 0;
  const auto ask = [&](int64_t count) {
    parallel_for_or_throw(count, [&](int64_t i) {
      ++runs;
      if (i % 10 == 7) throw i;
    });
  };
  for (int repeat = 0; repeat < 20; ++repeat) {
    try {
      ask(100);
      ADD_FAILURE() << "nothing was thrown";
    } catch (int64_t first) {
      EXPECT_EQ(first, 7);
    }
  }
  EXPECT_EQ(runs, 20 * 100) << "the other tasks run all the same";
  EXPECT_NO_THROW(ask(0));
  EXPECT_NO_THROW(ask(7));
  EXPECT_EQ(runs, 20 * 100 + 7);
}

TEST_P(Threads, FlushDenormalsOnAllOfThem) {
  volatile float tiny = 1e-38F;
  std::atomic<int> denormals = 0;
  parallel_for(64, [&](int64_t) { denormals += tiny * 1e-3F != 0.0F ? 1 : 0; });
  EXPECT_EQ(denormals, 0);
  EXPECT_NE(tiny * 1e-3F, 0.0F) << "the caller's own setting must come back";
}

INSTANTIATE_TEST_SUITE_P(Of, Threads, testing::Values(1, 2, 3, 4));

TEST(InstructionSet, CanBeLimited) {
  const std::string before = instruction_set();
  for (const std::string& name : instruction_sets()) {
    use_instruction_set(name);
    EXPECT_EQ(instruction_set(), name);
  }
  use_instruction_set(before);
  EXPECT_THROW(use_instruction_set("mmx"), Error);
  EXPECT_EQ(instruction_set(), before);
}

}  // namespace
}  // namespace adassl::kernels
