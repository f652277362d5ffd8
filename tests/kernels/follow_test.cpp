#include "adassl/kernels/follow.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/core/random.h"
#include "adassl/kernels/threads.h"
#include "kernels/instruction_sets.h"

namespace adassl::kernels {
namespace {

using Floats = std::vector<float>;

// Empty, less than a vector, sizes around one piece, several pieces and a remainder.
const std::vector<size_t> kSizes = {0, 1, 7, 16, 33, 16'383, 16'384, 16'385, 50'011};

Floats drawn(const std::string& purpose, size_t count) {
  Floats out(count);
  auto draws = random::Stream(1, purpose).at(0);
  for (float& x : out) x = static_cast<float>(draws.normal());
  return out;
}

class Follow : public OnEachInstructionSet {
 protected:
  void TearDown() override {
    set_threads(1);
    OnEachInstructionSet::TearDown();
  }
};

ADASSL_ON_EACH_INSTRUCTION_SET(Follow);

TEST_P(Follow, IsTheFormula) {
  for (const size_t size : kSizes) {
    for (const double momentum : {0.25, 0.5, 0.9, 0.996}) {
      const Floats values = drawn("values", size);
      const Floats before = drawn("average", size);
      Floats average = before;
      follow(values, average, momentum);
      for (size_t i = 0; i < size; ++i) {
        ASSERT_NEAR(average[i], momentum * before[i] + (1 - momentum) * values[i], 1e-6)
            << i << " of " << size << ", momentum " << momentum;
      }
    }
  }
}

TEST_P(Follow, StaysAtMomentumOneAndArrivesAtZero) {
  const Floats values = drawn("values", 100);
  const Floats before = drawn("average", 100);
  Floats average = before;
  follow(values, average, 1);
  EXPECT_EQ(average, before);
  follow(values, average, 0);
  EXPECT_EQ(average, values);
}

TEST_P(Follow, StaysWhereItHasArrived) {
  const Floats values = drawn("values", 100);
  Floats average = values;
  for (const double momentum : {0.3, 0.996}) follow(values, average, momentum);
  EXPECT_EQ(average, values);
}

TEST_P(Follow, GivesTheSameBitsForAnyNumberOfThreads) {
  const Floats values = drawn("values", 50'011);
  Floats alone = drawn("average", 50'011);
  Floats together = alone;
  follow(values, alone, 0.9);
  set_threads(3);
  follow(values, together, 0.9);
  EXPECT_EQ(together, alone);
}

TEST(FollowArguments, MustBeOfOneLength) {
  const Floats values(10);
  Floats average(9);
  EXPECT_THROW(follow(values, average, 0.9), Error);
}

}  // namespace
}  // namespace adassl::kernels
