#include "adassl/data/mixing.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/kernels/noise.h"
#include "support/error_message.h"

namespace adassl::data {
namespace {

Mixing mixing(int64_t candidates, MixingOptions options = {}) {
  options.candidates = candidates;
  return {10, options, random::Stream(1, "test")};
}

std::array<float, 10> point(uint32_t sample) {
  std::array<float, 10> out{};
  kernels::fill_normal(out, 10, {7, "point"}, sample);
  return out;
}

TEST(Mixing, HasColumnsOfNormOne) {
  const Mixing g = mixing(100);
  ASSERT_EQ(g.weights().size(), 3U);
  for (const Matrix& w : g.weights()) {
    for (size_t j = 0; j < w.columns; ++j) {
      double square = 0;
      for (size_t i = 0; i < w.rows; ++i) square += w(i, j) * w(i, j);
      EXPECT_NEAR(square, 1, 1e-12);
    }
  }
}

TEST(Mixing, KeepsTheBestConditionedCandidate) {
  // A larger number of candidates includes those of a smaller one, so the best can only improve.
  // With 25,000 it reaches the condition number of the literature's construction for width 10.
  const Mixing few = mixing(50);
  const Mixing many = mixing(25000);
  for (size_t layer = 0; layer < 3; ++layer) {
    EXPECT_LE(condition_number(many.weights()[layer]), condition_number(few.weights()[layer]));
    EXPECT_LT(condition_number(many.weights()[layer]), 4.6);
    EXPECT_GT(condition_number(many.weights()[layer]), 2.5);
  }
}

TEST(Mixing, IsPositivelyHomogeneous) {
  const Mixing g = mixing(100);
  std::array<float, 10> z = point(0);
  std::array<float, 10> x{};
  std::array<float, 10> scaled{};
  g.apply(z, x);
  for (float& value : z) value *= 4;
  g.apply(z, scaled);
  for (size_t i = 0; i < 10; ++i) EXPECT_FLOAT_EQ(scaled[i], 4 * x[i]);
}

TEST(Mixing, WithoutTheLastActivationReachesEveryOrthant) {
  MixingOptions options;
  options.activations = 2;
  const Mixing bare = mixing(100, options);
  const Mixing full = mixing(100);
  std::array<float, 10> a{};
  std::array<float, 10> b{};
  bare.apply(point(3), a);
  full.apply(point(3), b);
  for (size_t i = 0; i < 10; ++i) EXPECT_FLOAT_EQ(b[i], a[i] > 0 ? a[i] : 0.2F * a[i]);
}

TEST(Mixing, OfManySamplesIsThatOfEach) {
  const Mixing g = mixing(100);
  constexpr size_t kSamples = 21;
  std::vector<float> z(10 * kSamples);
  kernels::fill_normal_columns(z, 10, {7, "point"});
  g.apply(z, z);
  for (size_t i = 0; i < kSamples; ++i) {
    std::array<float, 10> x{};
    g.apply(point(static_cast<uint32_t>(i)), x);
    for (size_t j = 0; j < 10; ++j) EXPECT_EQ(z[j * kSamples + i], x[j]);
  }
}

TEST(Mixing, NamesAnImpossibleNumberOfActivations) {
  MixingOptions options;
  options.activations = 1;
  EXPECT_EQ(testing::error_of([&] { mixing(1, options); }),
            "[mixing] expected as many activations as layers (3) or one less, got 1");
}

}  // namespace
}  // namespace adassl::data
