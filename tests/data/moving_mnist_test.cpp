#include "adassl/data/moving_mnist.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/kernels/threads.h"
#include "support/error_message.h"
#include "support/small_mnist.h"

namespace adassl::data {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::small_mnist;

constexpr size_t kFrame = kCanvas * kCanvas;
constexpr size_t kClip = kSegment * kFrame;

MovingMnist source(const std::string& setting = "A", const std::string& placement = "rounded",
                   int64_t test_seed = 1) {
  return {{small_mnist(), setting, placement, test_seed, 20}, 1};
}

/// Where the digit is. Those of tests/support/small_mnist.h have their mass in the middle.
Vector centre_of(const Array& clips, size_t i, size_t frame) {
  const float* pixels = clips.values.data() + i * kClip + frame * kFrame;
  double sum = 0;
  Vector out{};
  for (size_t at = 0; at < kFrame; ++at) {
    sum += pixels[at];
    out[0] += pixels[at] * (static_cast<double>(at % kCanvas) + 0.5);
    out[1] += pixels[at] * (static_cast<double>(at / kCanvas) + 0.5);
  }
  return {out[0] / sum, out[1] / sum};
}

/// The number of its digit, modulo 100: small_mnist.h writes it into the brightness.
int number_of(const Array& clips, size_t i) {
  const auto first = clips.values.begin() + static_cast<std::ptrdiff_t>(i * kClip);
  return static_cast<int>(std::lround(255 - 255 * *std::max_element(first, first + kClip)));
}

bool same(const Array& a, const Array& b) { return a.shape == b.shape && a.values == b.values; }

/// Whether row `i` of a equals row `j` of b.
bool same_row(const Array& a, size_t i, const Array& b, size_t j) {
  const auto width = static_cast<std::ptrdiff_t>(a.columns());
  return std::equal(a.values.begin() + static_cast<std::ptrdiff_t>(i) * width,
                    a.values.begin() + static_cast<std::ptrdiff_t>(i + 1) * width,
                    b.values.begin() + static_cast<std::ptrdiff_t>(j) * width);
}

TEST(MovingMnist, SaysWhatItsPairsAre) {
  const MovingMnist moving = source();
  EXPECT_THAT(moving.shape().observation, ElementsAre(1, 3, 64, 64));
  EXPECT_EQ(moving.shape().columns.back().classes, 10);
  const Batch batch = moving.pairs({1, "test"}, 6);
  for (const Array* view : {&batch.x, &batch.x_plus, &batch.helper}) {
    EXPECT_THAT(view->shape, ElementsAre(6, 1, 3, 64, 64));
    for (const float value : view->values) ASSERT_TRUE(value >= 0 && value <= 1);
  }
  EXPECT_TRUE(batch.mirror_helper.empty());
  for (const Array* known : {&batch.change, &batch.factors, &batch.factors_plus}) {
    EXPECT_THAT(known->shape, ElementsAre(6, 2));
  }
}

TEST(MovingMnist, ShowsInEachFrameWhatTheFactorsSay) {
  const Batch batch = source("A", "bilinear").pairs({2, "test"}, 200);
  for (size_t i = 0; i < 200; ++i) {
    const float* v = &batch.factors.values[2 * i];
    const float* v_plus = &batch.factors_plus.values[2 * i];
    const Vector first = centre_of(batch.x, i, 0);
    if (position({first, {v[0], v[1]}}, {0, {v_plus[0], v_plus[1]}}, 9)[0] > 56 ||
        position({first, {v[0], v[1]}}, {0, {v_plus[0], v_plus[1]}}, 9)[1] > 56) {
      continue;  // partly outside: its centre of mass is not its position
    }
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_TRUE(first[k] >= 7.9999 && first[k] <= 16.0001) << first[k];
      EXPECT_NEAR(batch.change.values[2 * i + k], v_plus[k] - v[k], 1e-6);
      for (size_t t = 0; t < 3; ++t) {
        const auto steps = static_cast<double>(t);
        const double third = first[k] + 2 * v[k];
        EXPECT_NEAR(centre_of(batch.x, i, t)[k], first[k] + steps * v[k], 1e-3);
        EXPECT_NEAR(centre_of(batch.x_plus, i, t)[k], third + (steps + 1) * v_plus[k], 1e-3);
        EXPECT_NEAR(centre_of(batch.helper, i, t)[k], third + (steps + 4) * v_plus[k], 1e-3);
      }
    }
  }
}

TEST(MovingMnist, LiesOnWholePixelsWhenRounded) {
  const Batch batch = source().pairs({2, "test"}, 100);
  for (size_t i = 0; i < 100; ++i) {
    for (size_t t = 0; t < 3; ++t) {
      for (const double p : centre_of(batch.x, i, t)) EXPECT_NEAR(p, std::round(p), 1e-4);
    }
  }
}

TEST(MovingMnist, ChangesTheAxisThatTheDigitWantsInSettingB) {
  const MovingMnist a = source("A");
  const MovingMnist b = source("B");
  for (int64_t label = 0; label < 10; ++label) {
    EXPECT_EQ(a.chance_of_y(label), 0.5);
    EXPECT_NEAR(b.chance_of_y(label), 0.1 + 0.8 * static_cast<double>(label) / 9, 1e-15);
  }
  for (const MovingMnist* moving : {&a, &b}) {
    double changes_of_y[10] = {};
    double seen[10] = {};
    for (uint64_t step = 0; step < 40; ++step) {
      const Batch batch = moving->pairs({3, "test", step}, 250);
      for (size_t i = 0; i < 250; ++i) {
        const int label = number_of(batch.x, i) % 10;
        const bool x_changes = batch.change.values[2 * i] != 0;
        ASSERT_NE(x_changes, batch.change.values[2 * i + 1] != 0);  // one of them
        changes_of_y[label] += x_changes ? 0 : 1;
        seen[label] += 1;
      }
    }
    for (int label = 0; label < 10; ++label) {
      const double chance = moving->chance_of_y(label);
      EXPECT_NEAR(changes_of_y[label] / seen[label], chance, 0.06) << label;
    }
  }
}

TEST(MovingMnist, IsTheSameForAnyNumberOfThreadsAndAnyBatch) {
  const MovingMnist moving = source("B", "bilinear");
  const Batch alone = moving.pairs({4, "test", 7}, 64);
  kernels::set_threads(3);
  const Batch shared = moving.pairs({4, "test", 7}, 64);
  const Batch few = moving.pairs({4, "test", 7}, 5);
  const Samples samples = moving.samples("validation", {4, "test"}, 7);
  kernels::set_threads(1);
  EXPECT_TRUE(same(alone.x, shared.x));
  EXPECT_TRUE(same(alone.x_plus, shared.x_plus));
  EXPECT_TRUE(same(alone.helper, shared.helper));
  EXPECT_TRUE(same(alone.change, shared.change));
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(same_row(alone.x, i, few.x, i));
    EXPECT_TRUE(same_row(alone.helper, i, few.helper, i));
    EXPECT_TRUE(same_row(alone.factors_plus, i, few.factors_plus, i));
  }
  EXPECT_TRUE(same(samples.x, moving.samples("validation", {4, "test"}, 7).x));
  EXPECT_FALSE(same(alone.x, moving.pairs({4, "test", 8}, 64).x));
  EXPECT_FALSE(same_row(alone.x, 0, alone.x, 1));
}

TEST(MovingMnist, HoldsTheLastTrainingDigitsOut) {
  const MovingMnist moving = source();
  std::set<int> train;
  std::set<int> validation;
  const Batch batch = moving.pairs({5, "test"}, 400);
  const Batch watched = moving.watched_pairs({5, "test"}, 400);
  const Samples held_out = moving.samples("validation", {5, "test"}, 400);
  const Samples samples = moving.samples("train", {5, "test"}, 400);
  for (size_t i = 0; i < 400; ++i) {
    train.insert(number_of(batch.x, i));
    train.insert(number_of(samples.x, i));
    validation.insert(number_of(held_out.x, i));
    validation.insert(number_of(watched.x, i));
    EXPECT_EQ(number_of(watched.x, i), number_of(watched.x_plus, i));
    EXPECT_EQ(samples.known.values[3 * i + 2], number_of(samples.x, i) % 10);
    EXPECT_EQ(held_out.known.values[3 * i + 2], number_of(held_out.x, i) % 10);
  }
  EXPECT_EQ(train.size(), 40U);
  EXPECT_EQ(*train.rbegin(), 39);
  EXPECT_EQ(validation.size(), 20U);
  EXPECT_EQ(*validation.begin(), 40);
}

TEST(MovingMnist, HasOneFixedTestClipForEachTestDigit) {
  const MovingMnist moving = source();
  EXPECT_EQ(moving.held_out(), "test");
  const Samples test = moving.samples("test", {1, "one"}, 20);
  EXPECT_TRUE(same(test.x, moving.samples("test", {2, "other", 9}, 20).x));
  EXPECT_FALSE(same(test.x, source("A", "rounded", 2).samples("test", {1, "one"}, 20).x));
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(number_of(test.x, i), static_cast<int>(i));
    EXPECT_EQ(test.known.values[3 * i + 2], static_cast<float>(i % 10));
    const Vector way = {centre_of(test.x, i, 2)[0] - centre_of(test.x, i, 0)[0],
                        centre_of(test.x, i, 2)[1] - centre_of(test.x, i, 0)[1]};
    for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(way[k], 2 * test.known.values[3 * i + k], 1.001);
  }
  EXPECT_THAT(error_of([&] {
                moving.samples("test", {1, "one"}, 21);
              }),
              HasSubstr("expected at most 20 test clips, one for each test digit"));
  EXPECT_THAT(error_of([&] {
                moving.samples("pz", {1, "one"}, 1);
              }),
              HasSubstr("expected the population train, validation or test, got 'pz'"));
}

TEST(MovingMnist, ContinuesAClipInManyWays) {
  const MovingMnist moving = source("A", "bilinear");
  const Futures futures = moving.futures({6, "test"}, 0, 5, 8);
  EXPECT_THAT(futures.x.shape, ElementsAre(5, 1, 3, 64, 64));
  EXPECT_THAT(futures.x_plus.shape, ElementsAre(40, 1, 3, 64, 64));
  int axes[2] = {};
  for (size_t k = 0; k < 5; ++k) {
    EXPECT_GE(number_of(futures.x, k), 40);
    std::set<std::pair<float, float>> velocities;
    const Vector third = centre_of(futures.x, k, 2);
    for (size_t j = 0; j < 8; ++j) {
      const size_t at = k * 8 + j;
      const float* v_plus = &futures.factors_plus.values[2 * at];
      velocities.emplace(v_plus[0], v_plus[1]);
      for (size_t c = 0; c < 2; ++c) {
        EXPECT_NEAR(centre_of(futures.x_plus, at, 0)[c], third[c] + v_plus[c], 1e-3);
        const double v = third[c] - centre_of(futures.x, k, 1)[c];
        EXPECT_NEAR(futures.change.values[2 * at + c], v_plus[c] - v, 1e-3);
      }
      ++axes[futures.change.values[2 * at] == 0 ? 1 : 0];
    }
    EXPECT_EQ(velocities.size(), 8U);
  }
  EXPECT_GT(axes[0], 8);
  EXPECT_GT(axes[1], 8);
}

TEST(MovingMnist, NumbersSourcesAndFutures) {
  const MovingMnist moving = source();
  const Futures all = moving.futures({6, "test"}, 0, 5, 8);
  const Futures some = moving.futures({6, "test"}, 3, 2, 3);
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_TRUE(same_row(some.x, k, all.x, 3 + k));
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_TRUE(same_row(some.x_plus, k * 3 + j, all.x_plus, (3 + k) * 8 + j));
      EXPECT_TRUE(same_row(some.change, k * 3 + j, all.change, (3 + k) * 8 + j));
    }
  }
  EXPECT_FALSE(same(all.x, moving.futures({7, "test"}, 0, 5, 8).x));
}

TEST(MovingMnist, NeedsMoreDigitsThanItHoldsOut) {
  const auto holding_out = [](int64_t validation) {
    return error_of([&] { MovingMnist({small_mnist(), "A", "rounded", 1, validation}, 1); });
  };
  EXPECT_THAT(holding_out(60),
              HasSubstr("validation: expected less than the 60 training digits of"));
  EXPECT_EQ(holding_out(59), "(no error)");
  EXPECT_THAT(error_of([] { MovingMnist({.folder = "no/such"}, 1); }),
              HasSubstr("[no/such] expected the MNIST"));
}

TEST(MovingMnist, RefusesClipsThatNoMemoryHolds) {
  const MovingMnist moving({small_mnist(), "A", "rounded", 1, 10}, 1);
  const auto asking = [&](int64_t count) {
    return error_of([&] { moving.samples("train", {1, "x"}, count); });
  };
  EXPECT_EQ(asking(10), "(no error)");
  EXPECT_THAT(asking(1'000'000'000), HasSubstr("that fit into memory, got 1000000000"));
}

}  // namespace
}  // namespace adassl::data
