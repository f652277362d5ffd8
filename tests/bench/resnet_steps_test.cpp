#include "adassl/bench/resnet_steps.h"

#include <gtest/gtest.h>

#include "adassl/bench/in_child.h"
#include "adassl/core/host.h"
#include "adassl/nn/compute.h"

/// The rows of whole steps with residual networks, at a size that takes a moment.
namespace adassl::bench {
namespace {

constexpr ResNetStep kTiny{18, 16, 2, nn::Stem::kSmall};

bool trains_in_bf16() {
  return nn::Compute{.precision = nn::Precision::kBfloat16}.multiplies_in_bf16();
}

/// First, because a child process must not meet threads.
TEST(ResNetStep, IsMeasuredInLibTorchsOwnBfloat16OrSaysWhyNot) {
  const FromChild found = in_child([] { return libtorch_bf16_ms(kTiny, 1, 2); }, 120);
  EXPECT_NE(found.number.has_value(), !found.failure.empty());
  if (found.number) {
    EXPECT_GT(*found.number, 0);
  }
}

/// In a child process, whose heap begins empty, and without threads, because a child process must
/// not meet them.
TEST(ResNetStep, NeedsTheMemoryOfTheEstimateUpTo15Percent) {
  std::vector<nn::Precision> precisions = {nn::Precision::kFloat32};
  if (trains_in_bf16()) precisions.push_back(nn::Precision::kBfloat16);
  for (const ResNetStep& step :
       {ResNetStep{18, 64, 16, nn::Stem::kSmall}, ResNetStep{18, 32, 96, nn::Stem::kSmall},
        ResNetStep{50, 112, 8, nn::Stem::kTorchvision}}) {
    for (const nn::Precision precision : precisions) {
      constexpr double kUnknown = 1e9;
      const FromChild found = in_child(
          [&] {
            host::tune_libraries();  // as the program: the heap keeps what it has
            return estimate_error(step, precision).value_or(kUnknown);
          },
          300);
      ASSERT_TRUE(found.number.has_value()) << found.failure;
      if (*found.number == kUnknown) GTEST_SKIP() << "the system does not tell the peak";
      Row row;
      row.extra_bytes = 1'000'000;
      row.estimated_bytes = 1e6 * (1 + *found.number);
      EXPECT_TRUE(*row.estimate_holds())
          << step.name() << (precision == nn::Precision::kFloat32 ? ", fp32: " : ", bf16: ")
          << 100 * *found.number << " %";
      RecordProperty(step.name() + (precision == nn::Precision::kFloat32 ? " fp32" : " bf16"),
                     std::to_string(*found.number));
    }
  }
}

TEST(ResNetStep, IsMeasuredWithItsMemoryBesideTheEstimate) {
  const Row row = measure(resnet_step_case(kTiny, nn::Precision::kFloat32, 1), 1);
  EXPECT_EQ(row.name, "ResNet-18 step, 16 px, batch 2, fp32");
  EXPECT_GT(row.fused_ms, 0);
  ASSERT_TRUE(row.reference_ms.has_value());
  EXPECT_GT(*row.reference_ms, 0);
  ASSERT_TRUE(row.gflops.has_value());
  EXPECT_GT(*row.peak_share, 0);
  if (!row.extra_bytes) return;  // the system does not tell
  ASSERT_TRUE(row.estimate_holds().has_value());
  const double parameters = 11.2e6 + 0.7e6;  // with gradients and two moments
  EXPECT_GT(*row.estimated_bytes, 4 * 4 * parameters);
}

TEST(ResNetStep, OfTheBenchmarkHasPatienceForSlowNetworks) {
  const std::vector<Case> cases = resnet_step_cases(2, 3);
  EXPECT_EQ(cases.size(), trains_in_bf16() ? 6U : 3U);
  size_t in_libtorch_bf16 = 0;
  for (const Case& one : cases) {
    EXPECT_GE(one.patience, 120) << one.name;
    if (one.libtorch_bf16) ++in_libtorch_bf16;
  }
  EXPECT_EQ(in_libtorch_bf16, 3U);
}

TEST(PaperHours, AreThoseOf80000StepsOf512Pairs) {
  // 80,000 x 512 / 64 = 640,000 steps of 3.6 seconds.
  const auto hours = paper_hours("ResNet-18 step, 64 px, batch 64, bf16", 3600);
  ASSERT_TRUE(hours.has_value());
  EXPECT_DOUBLE_EQ(*hours, 640);
  EXPECT_FALSE(paper_hours("ResNet-18 step, 32 px, batch 256, bf16", 3600).has_value());
  EXPECT_FALSE(paper_hours("ResNet-50 step, 224 px, batch 8, fp32", 3600).has_value());
}

TEST(Row, TellsWhetherTheMemoryEstimateHolds) {
  Row row;
  EXPECT_FALSE(row.estimate_holds().has_value());
  row.extra_bytes = 1000;
  EXPECT_FALSE(row.estimate_holds().has_value());
  for (const auto& [estimate, holds] :
       {std::pair{1000.0, true}, {1140.0, true}, {860.0, true}, {1160.0, false}, {840.0, false}}) {
    row.estimated_bytes = estimate;
    EXPECT_EQ(row.estimate_holds(), holds) << estimate;
  }
  EXPECT_NEAR(*row.estimate_error(), -0.16, 1e-12);
}

}  // namespace
}  // namespace adassl::bench
