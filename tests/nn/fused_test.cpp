#include "adassl/nn/fused.h"

#include <gtest/gtest.h>

#include "adassl/kernels/threads.h"
#include "adassl/nn/moving_average.h"

namespace adassl::nn {
namespace {

TEST(Kernels, AreFusedUnlessAskedOtherwiseAndComeBack) {
  EXPECT_TRUE(fused());
  {
    const WithKernels reference(Kernels::kReference);
    EXPECT_FALSE(fused());
    {
      const WithKernels again(Kernels::kFused);
      EXPECT_TRUE(fused());
    }
    EXPECT_FALSE(fused());
  }
  EXPECT_TRUE(fused());
}

TEST(Kernels, ShareThreadsWithLibTorchOnlyWhereItHasWork) {
  const WithKernels restored(Kernels::kFused);
  const int before = at::get_num_threads();
  use_kernels(Kernels::kFused, 3, false);
  EXPECT_TRUE(fused());
  EXPECT_EQ(kernels::threads(), 3);
  EXPECT_EQ(at::get_num_threads(), 1);
  use_kernels(Kernels::kFused, 2, true);
  EXPECT_EQ(kernels::threads(), 2);
  EXPECT_EQ(at::get_num_threads(), 2);
  use_kernels(Kernels::kReference, 2, false);
  EXPECT_FALSE(fused());
  EXPECT_EQ(kernels::threads(), 1);
  EXPECT_EQ(at::get_num_threads(), 2);
  kernels::set_threads(1);
  at::set_num_threads(before);
}

TEST(Kernels, CoverFloatsOnTheCpu) {
  EXPECT_TRUE(fused_covers(torch::zeros({2, 3})));
  EXPECT_TRUE(fused_covers(torch::zeros({0})));
  EXPECT_FALSE(fused_covers({}));
  EXPECT_FALSE(fused_covers(torch::zeros({2}, torch::kFloat64)));
  EXPECT_FALSE(fused_covers(torch::zeros({2}, torch::kInt64)));
}

TEST(Follow, TellsLibTorchThatTheAverageChanged) {
  for (const Kernels kernels : {Kernels::kFused, Kernels::kReference}) {
    const WithKernels with(kernels);
    const Tensor average = torch::zeros({3});
    const auto before = average._version();
    follow(torch::ones({3}), average, 0.75);
    EXPECT_TRUE(torch::equal(average, torch::full({3}, 0.25)));
    EXPECT_GT(average._version(), before);
  }
}

TEST(FallbackNotes, AreKeptOnceAndInOrderUntilTaken) {
  take_fallback_notes();
  for (const char* line : {"b", "a", "b"}) note_fallback(line);
  EXPECT_EQ(take_fallback_notes(), (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(take_fallback_notes().empty());
}

}  // namespace
}  // namespace adassl::nn
