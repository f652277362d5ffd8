#include "adassl/nn/compute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"
#include "adassl/nn/moving_average.h"

namespace adassl::nn {
namespace {

TEST(Compute, IsFusedFloat32OnOneThreadOfTheCpuByDefault) {
  const Compute compute;
  EXPECT_TRUE(compute.fused());
  EXPECT_EQ(compute.precision, Precision::kFloat32);
  EXPECT_EQ(compute.threads, 1);
  EXPECT_TRUE(compute.device.is_cpu());
}

/// Whatever falls back to LibTorch, its sums must not depend on the number of threads.
TEST(Compute, GivesLibTorchOneThreadUnlessItIsTheReference) {
  const int before = at::get_num_threads();
  use_threads({.threads = 3});
  EXPECT_EQ(kernels::threads(), 3);
  EXPECT_EQ(at::get_num_threads(), 1);
  use_threads({.threads = 2, .fallbacks = {"a layer"}});
  EXPECT_EQ(kernels::threads(), 2);
  EXPECT_EQ(at::get_num_threads(), 1);
  use_threads({.kernels = Kernels::kReference, .threads = 2});
  EXPECT_EQ(kernels::threads(), 1);
  EXPECT_EQ(at::get_num_threads(), 2);
  kernels::set_threads(1);
  at::set_num_threads(before);
}

TEST(Compute, FusesFloatsOnTheCpu) {
  const Compute fused;
  EXPECT_TRUE(fused.fuses(torch::zeros({2, 3})));
  EXPECT_TRUE(fused.fuses(torch::zeros({0})));
  EXPECT_FALSE(fused.fuses({}));
  EXPECT_FALSE(fused.fuses(torch::zeros({2}, torch::kFloat64)));
  EXPECT_FALSE(fused.fuses(torch::zeros({2}, torch::kInt64)));
  EXPECT_FALSE(fused.fuses(torch::zeros({2}, torch::device(torch::kMeta))));
  EXPECT_FALSE(Compute{.kernels = Kernels::kReference}.fuses(torch::zeros({2, 3})));
}

TEST(Compute, MultipliesInBfloat16WhereThatIsRequestedAndFaster) {
  const std::string set = kernels::instruction_set();
  const bool fast = set != "baseline" && set != "avx2";
  EXPECT_EQ(Compute{.precision = Precision::kBfloat16}.multiplies_in_bf16(), fast);
  EXPECT_FALSE(Compute{}.multiplies_in_bf16());
  const Compute reference{.kernels = Kernels::kReference, .precision = Precision::kBfloat16};
  EXPECT_FALSE(reference.multiplies_in_bf16());
}

TEST(Compute, NotesEachFallbackOnceAndInOrder) {
  Compute compute;
  for (const char* line : {"b", "a", "b"}) compute.note_fallback(line);
  EXPECT_THAT(compute.fallbacks, ::testing::ElementsAre("b", "a"));
  Compute reference{.kernels = Kernels::kReference};
  reference.note_fallback("nobody asked for our kernels");
  EXPECT_TRUE(reference.fallbacks.empty());
}

TEST(Follow, TellsLibTorchThatTheAverageChanged) {
  for (const Kernels kernels : {Kernels::kFused, Kernels::kReference}) {
    const Tensor average = torch::zeros({3});
    const auto before = average._version();
    follow(torch::ones({3}), average, 0.75, {.kernels = kernels});
    EXPECT_TRUE(torch::equal(average, torch::full({3}, 0.25)));
    EXPECT_GT(average._version(), before);
  }
}

}  // namespace
}  // namespace adassl::nn
