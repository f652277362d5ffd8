#include "adassl/kernels/adamw.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/core/random.h"
#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"
#include "kernels/instruction_sets.h"

namespace adassl::kernels {
namespace {

// Empty, less than a vector, sizes around one block, several blocks and a remainder.
const std::vector<size_t> kSizes = {0, 1, 7, 16, 33, 4095, 4096, 4097, 20'011};

std::vector<float> drawn(const std::string& purpose, size_t count) {
  std::vector<float> out(count);
  auto draws = random::Stream(1, purpose).at(0);
  for (float& x : out) x = static_cast<float>(draws.normal());
  return out;
}

struct Parameters {
  explicit Parameters(size_t count)
      : values(drawn("values", count)),
        gradients(drawn("gradients", count)),
        first(drawn("first", count)),
        second(drawn("second", count)),
        keep(count, 1) {
    for (float& x : second) x *= x;
    for (size_t i = 0; i < count; i += 2) keep[i] = 0.75F;
  }
  AdamWBuffers buffers() { return {values, gradients, first, second, keep}; }

  std::vector<float> values, gradients, first, second, keep;
};

const AdamWStep kStep = {.gradient_scale = 0.3,
                         .beta1 = 0.8,
                         .beta2 = 0.95,
                         .step_size = 0.02,
                         .root_scale = 1.7,
                         .epsilon = 1e-3};

/// The same formulas in double precision, one value at a time.
struct Expected {
  Expected(const AdamWStep& step, const Parameters& from, size_t i) {
    const double g = step.gradient_scale * from.gradients[i];
    first = step.beta1 * from.first[i] + (1 - step.beta1) * g;
    second = step.beta2 * from.second[i] + (1 - step.beta2) * g * g;
    value = from.keep[i] * from.values[i] -
            step.step_size * first / (step.root_scale * std::sqrt(second) + step.epsilon);
  }
  double first, second, value;
};

/// A few rounding errors of float32, as the terms of these sums are of order 1.
constexpr double kTolerance = 1e-6;

class AdamWKernel : public OnEachInstructionSet {
 protected:
  void TearDown() override {
    set_threads(1);
    OnEachInstructionSet::TearDown();
  }
};

ADASSL_ON_EACH_INSTRUCTION_SET(AdamWKernel);

TEST_P(AdamWKernel, TakesTheStepOfTheFormula) {
  for (const size_t size : kSizes) {
    SCOPED_TRACE(size);
    const Parameters before(size);
    Parameters after = before;
    adamw_step(kStep, after.buffers());
    for (size_t i = 0; i < size; ++i) {
      const Expected expected(kStep, before, i);
      ASSERT_NEAR(after.first[i], expected.first, kTolerance) << i;
      ASSERT_NEAR(after.second[i], expected.second, kTolerance * (1 + expected.second)) << i;
      ASSERT_NEAR(after.values[i], expected.value, kTolerance) << i;
    }
    EXPECT_EQ(after.gradients, before.gradients);
    EXPECT_EQ(after.keep, before.keep);
  }
}

TEST_P(AdamWKernel, MovesNothingWhereTheGradientAlwaysWasZero) {
  Parameters still(37);
  for (auto* zero : {&still.gradients, &still.first, &still.second}) zero->assign(37, 0);
  still.keep.assign(37, 1);
  const std::vector<float> before = still.values;
  AdamWStep step = kStep;
  step.epsilon = 1e-8;
  adamw_step(step, still.buffers());
  EXPECT_EQ(still.values, before);
}

TEST_P(AdamWKernel, GivesTheSameBitsForAnyNumberOfThreads) {
  Parameters alone(20'011);
  const double norm_alone = norm(alone.gradients);
  adamw_step(kStep, alone.buffers());
  for (const int count : {2, 3, 4}) {
    set_threads(count);
    Parameters together(20'011);
    EXPECT_EQ(norm(together.gradients), norm_alone);
    adamw_step(kStep, together.buffers());
    EXPECT_EQ(together.values, alone.values);
    EXPECT_EQ(together.first, alone.first);
    EXPECT_EQ(together.second, alone.second);
  }
}

TEST_P(AdamWKernel, MeasuresTheNormInDouble) {
  for (const size_t size : kSizes) {
    const std::vector<float> values = drawn("norm", size);
    long double sum = 0;
    for (const float x : values) sum += static_cast<long double>(x) * x;
    const auto expected = static_cast<double>(std::sqrt(sum));
    EXPECT_NEAR(norm(values), expected, 1e-14 * expected) << size;
  }
  const std::vector<float> large(5000, 1e30F);  // the squares overflow float32
  EXPECT_NEAR(norm(large), 1e30F * std::sqrt(5000.0), 1e18);
  EXPECT_GT(norm(std::vector<float>(9, 1e-30F)), 2.9e-30);
}

TEST_P(AdamWKernel, TellsANormThatIsNotANumber) {
  for (const size_t place : {0U, 4095U, 4999U}) {
    std::vector<float> values(5000, 1);
    values[place] = NAN;
    EXPECT_TRUE(std::isnan(norm(values))) << place;
    values[place] = INFINITY;
    EXPECT_TRUE(std::isinf(norm(values))) << place;
  }
}

TEST(AdamWBuffers, MustBeOfOneLength) {
  Parameters parameters(10);
  parameters.keep.pop_back();
  EXPECT_THROW(adamw_step(kStep, parameters.buffers()), Error);
  parameters.keep.push_back(1);
  EXPECT_NO_THROW(adamw_step(kStep, parameters.buffers()));
}

}  // namespace
}  // namespace adassl::kernels
