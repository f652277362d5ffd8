#include "adassl/data/moving_digit.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/data/mnist.h"

namespace adassl::data {
namespace {

constexpr int kDraws = 200'000;

struct Moments {
  double sum = 0;
  double squares = 0;
  double least = 1e9;
  double most = -1e9;
  int count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    least = std::min(least, value);
    most = std::max(most, value);
    ++count;
  }
  double mean() const { return sum / count; }
  double deviation() const { return std::sqrt(squares / count - mean() * mean()); }
};

void expect_uniform(const Moments& found, double from, double to) {
  EXPECT_GE(found.least, from);
  EXPECT_LE(found.most, to);
  EXPECT_NEAR(found.mean(), (from + to) / 2, 0.01 * (to - from));
  EXPECT_NEAR(found.deviation(), (to - from) / std::sqrt(12), 0.01 * (to - from));
}

TEST(MovingDigit, StartsAnywhereBetween8And16WithAVelocityUpTo3) {
  const random::Stream stream(1, "starts");
  Moments moments[4];
  for (uint32_t i = 0; i < kDraws; ++i) {
    random::Sequence draws = stream.at(i);
    const Start start = draw_start(draws);
    for (size_t k = 0; k < 2; ++k) {
      moments[k].add(start.centre[k]);
      moments[2 + k].add(start.velocity[k]);
    }
  }
  for (const size_t k : {0, 1}) expect_uniform(moments[k], 8, 16);
  for (const size_t k : {2, 3}) expect_uniform(moments[k], 0, 3);
}

TEST(MovingDigit, ChangesOneComponentByTwoThirdsOfIt) {
  const random::Stream stream(1, "turns");
  const Start start{{10, 10}, {1.5, 2.4}};
  for (const double chance : {0.1, 0.5, 0.9}) {
    Moments changed[2];
    for (uint32_t i = 0; i < kDraws; ++i) {
      random::Sequence draws = stream.at(i);
      const Turn turn = draw_turn(start, chance, draws);
      const auto axis = static_cast<size_t>(turn.axis);
      changed[axis].add(turn.velocity[axis]);
      ASSERT_EQ(turn.velocity[1 - axis], start.velocity[1 - axis]);
    }
    EXPECT_NEAR(changed[1].count, chance * kDraws, 0.005 * kDraws);
    for (const size_t axis : {0, 1}) {
      EXPECT_NEAR(changed[axis].mean() / start.velocity[axis], 1, 0.02);
      EXPECT_NEAR(changed[axis].deviation() / start.velocity[axis], 2.0 / 3, 0.015);
    }
  }
}

TEST(MovingDigit, KeepsItsOldVelocityForThreeFramesAndThenTheNewOne) {
  const Start start{{8, 9}, {1, 2}};
  const Turn turn{0, {-0.5, 2}};
  const Vector expected[] = {{8, 9},    {9, 11}, {10, 13},  {9.5, 15}, {9, 17},
                             {8.5, 19}, {8, 21}, {7.5, 23}, {7, 25}};
  for (int64_t frame = 1; frame <= 9; ++frame) {
    EXPECT_EQ(position(start, turn, frame), expected[frame - 1]) << frame;
  }
}

TEST(MovingDigit, SeldomLeavesTheCanvas) {
  const random::Stream stream(1, "clipped");
  std::array<int, 3> clipped{};
  std::array<int, 3> clipped_when_rounded{};
  for (uint32_t i = 0; i < kDraws; ++i) {
    random::Sequence draws = stream.at(i);
    const Start start = draw_start(draws);
    const Turn turn = draw_turn(start, 0.5, draws);
    std::array<bool, 3> outside{};
    std::array<bool, 3> outside_when_rounded{};
    for (int64_t frame = 1; frame <= 9; ++frame) {
      const auto segment = static_cast<size_t>((frame - 1) / 3);
      for (const double p : position(start, turn, frame)) {
        const double corner = p - 8;
        outside[segment] |= corner < 0 || corner > 48;
        outside_when_rounded[segment] |= corner < -0.5 || corner >= 48.5;
      }
    }
    for (size_t k = 0; k < 3; ++k) {
      clipped[k] += outside[k] ? 1 : 0;
      clipped_when_rounded[k] += outside_when_rounded[k] ? 1 : 0;
    }
  }
  EXPECT_EQ(clipped[0], 0);
  EXPECT_NEAR(clipped[1], 0.0007 * kDraws, 0.0002 * kDraws);
  EXPECT_NEAR(clipped[2], 0.011 * kDraws, 0.001 * kDraws);
  EXPECT_NEAR(clipped_when_rounded[2], 0.0092 * kDraws, 0.001 * kDraws);
}

/// A digit without symmetries.
std::vector<float> some_digit() {
  std::vector<float> digit(256);
  random::Sequence draws = random::Stream(1, "digit").at(0);
  for (float& value : digit) value = static_cast<float>(draws.uniform());
  return digit;
}

std::vector<float> drawn(const std::vector<float>& digit, const Vector& centre,
                         Placement placement) {
  std::vector<float> frame(kCanvas * kCanvas);
  draw_digit(digit, centre, placement, frame);
  return frame;
}

/// [0] the sum of all pixels, [1] and [2] their centre of mass.
std::array<double, 3> mass(const std::vector<float>& image, size_t side) {
  double sum = 0;
  double x = 0;
  double y = 0;
  for (size_t at = 0; at < image.size(); ++at) {
    sum += image[at];
    x += image[at] * (static_cast<double>(at % side) + 0.5);
    y += image[at] * (static_cast<double>(at / side) + 0.5);
  }
  return {sum, x / sum, y / sum};
}

TEST(MovingDigit, LiesOnWholePixelsWhenRounded) {
  const std::vector<float> digit = some_digit();
  for (const Vector centre : {Vector{20.6, 30.4}, Vector{21.4, 29.6}, Vector{21, 30}}) {
    const std::vector<float> frame = drawn(digit, centre, Placement::kRounded);
    double outside = 0;
    for (size_t y = 0; y < 64; ++y) {
      for (size_t x = 0; x < 64; ++x) {
        const bool inside = x >= 13 && x < 29 && y >= 22 && y < 38;
        if (inside) {
          ASSERT_EQ(frame[y * 64 + x], digit[(y - 22) * 16 + x - 13]);
        } else {
          outside += frame[y * 64 + x];
        }
      }
    }
    EXPECT_EQ(outside, 0);
  }
}

TEST(MovingDigit, MovesItsCentreOfMassExactlyWhenBilinear) {
  const std::vector<float> digit = some_digit();
  const auto own = mass(digit, 16);
  for (const Vector centre : {Vector{20, 30}, Vector{20.25, 30.5}, Vector{8.01, 55.99}}) {
    const auto found = mass(drawn(digit, centre, Placement::kBilinear), 64);
    EXPECT_NEAR(found[0], own[0], 1e-4);
    EXPECT_NEAR(found[1] - centre[0], own[1] - 8, 1e-5);
    EXPECT_NEAR(found[2] - centre[1], own[2] - 8, 1e-5);
  }
  EXPECT_EQ(drawn(digit, {20, 30}, Placement::kBilinear),
            drawn(digit, {20, 30}, Placement::kRounded));
}

TEST(MovingDigit, StaysWithinZeroAndOne) {
  const std::vector<float> white(256, 1);
  random::Sequence draws = random::Stream(1, "centres").at(0);
  for (int i = 0; i < 2000; ++i) {
    const Vector centre = {80 * draws.uniform() - 8, 80 * draws.uniform() - 8};
    for (const float value : drawn(white, centre, Placement::kBilinear)) {
      ASSERT_TRUE(value >= 0 && value <= 1) << value;
    }
  }
}

TEST(MovingDigit, LosesWhatLiesOutside) {
  const std::vector<float> white(256, 1);
  const auto ink = [&](const Vector& centre) {
    return mass(drawn(white, centre, Placement::kRounded), 64)[0];
  };
  EXPECT_EQ(ink({32, 32}), 256);
  EXPECT_EQ(ink({0, 32}), 128);
  EXPECT_EQ(ink({64, 64}), 64);
  for (const Vector& centre : {Vector{-8, 32}, Vector{32, 72}, Vector{1e6, -1e6}}) {
    EXPECT_EQ(ink(centre), 0);
  }
}

}  // namespace
}  // namespace adassl::data
