#include "adassl/kernels/norm_relu.h"

#include <cmath>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/core/random.h"
#include "adassl/kernels/threads.h"
#include "kernels/instruction_sets.h"

namespace adassl::kernels {
namespace {

constexpr double kEpsilon = 1e-5;
using Floats = std::vector<float>;

Floats drawn(const char* purpose, int64_t count, double mean, double deviation) {
  Floats out(static_cast<size_t>(count));
  auto draws = random::Stream(1, purpose).at(0);
  for (float& x : out) x = static_cast<float>(mean + deviation * draws.normal());
  return out;
}

struct Case {
  Rows shape;
  double mean, deviation;  // of x
};
// One channel, odd numbers of channels, several vectors and a remainder; several blocks of rows; a
// mean that is large compared with the deviation; constant channels.
const std::vector<Case> kCases = {{{2, 1}, 0, 1},      {{7, 3}, 1, 2},      {{33, 5}, 0, 1e-3},
                                  {{100, 32}, 100, 1}, {{999, 37}, -3, 10}, {{5000, 64}, 0.5, 1},
                                  {{300, 16}, 2, 0}};

struct Problem {
  explicit Problem(const Case& of)
      : shape(of.shape),
        x(drawn("x", shape.rows * shape.channels, of.mean, of.deviation)),
        dy(drawn("dy", shape.rows * shape.channels, 0, 1)),
        gain(drawn("gain", shape.channels, 1, 0.5)),
        shift(drawn("shift", shape.channels, 0, 0.5)) {}
  Rows shape;
  Floats x, dy, gain, shift;
};

struct Answer {
  NormStatistics statistics;
  Floats y, dx, dgain, dshift;
};

Answer answer(const Problem& problem) {
  const Rows& shape = problem.shape;
  const auto channels = static_cast<size_t>(shape.channels);
  Answer out{statistics(shape, problem.x.data()), Floats(problem.x.size()),
             Floats(problem.x.size()), Floats(channels), Floats(channels)};
  const ChannelMap map = channel_map(out.statistics, problem.gain, problem.shift, kEpsilon);
  norm_relu(shape, problem.x.data(), map, out.y.data());
  norm_relu_backward(shape, problem.x.data(), problem.dy.data(), out.statistics, map, kEpsilon,
                     {out.dx.data(), out.dgain.data(), out.dshift.data()});
  return out;
}

/// The definition in double precision, one channel at a time. Where the pre-activation is 0 up to
/// rounding, the kernel and the definition may disagree about the ReLU; dy is set to 0 there.
struct Plain {
  explicit Plain(Problem& problem) {
    const auto rows = static_cast<double>(problem.shape.rows);
    const auto channels = static_cast<size_t>(problem.shape.channels);
    y.resize(problem.x.size());
    dx.resize(problem.x.size());
    for (size_t c = 0; c < channels; ++c) {
      double sum = 0;
      double squares = 0;
      for (size_t i = c; i < problem.x.size(); i += channels) sum += problem.x[i];
      for (size_t i = c; i < problem.x.size(); i += channels) {
        squares += std::pow(problem.x[i] - sum / rows, 2);
      }
      mean.push_back(sum / rows);
      variance.push_back(squares / rows);
      const double deviation = std::sqrt(variance[c] + kEpsilon);
      double g_sum = 0;
      double gx_sum = 0;
      for (size_t i = c; i < problem.x.size(); i += channels) {
        const double normal = (problem.x[i] - mean[c]) / deviation;
        const double before = problem.gain[c] * normal + problem.shift[c];
        if (std::abs(before) < 1e-3) problem.dy[i] = 0;
        y[i] = std::max(0.0, before);
        g_sum += before > 0 ? problem.dy[i] : 0;
        gx_sum += before > 0 ? problem.dy[i] * normal : 0;
      }
      dshift.push_back(g_sum);
      dgain.push_back(gx_sum);
      for (size_t i = c; i < problem.x.size(); i += channels) {
        const double normal = (problem.x[i] - mean[c]) / deviation;
        const bool open = problem.gain[c] * normal + problem.shift[c] > 0;
        const double g = open ? problem.dy[i] : 0;
        terms += std::pow(problem.gain[c] / deviation * g, 2);
        dx[i] = problem.gain[c] / deviation * (g - g_sum / rows - normal * gx_sum / rows);
      }
    }
  }
  std::vector<double> mean, variance, y, dx, dgain, dshift;
  double terms = 0;  // squared norm of the terms of dx, which almost cancel if there are two rows
};

/// Compares the norm of ours - expected with the norm of the expected values.
void expect_close(const Floats& ours, const std::vector<double>& expected, double tolerance,
                  double floor, const char* what) {
  double error = 0;
  double size = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += std::pow(ours[i] - expected[i], 2);
    size += std::pow(expected[i], 2);
  }
  EXPECT_LE(std::sqrt(error), tolerance * std::sqrt(size) + floor) << what;
}

class NormRelu : public OnEachInstructionSet {};
ADASSL_ON_EACH_INSTRUCTION_SET(NormRelu);

TEST_P(NormRelu, IsItsDefinitionForwardAndBackward) {
  for (const Case& of : kCases) {
    SCOPED_TRACE(of.shape.rows * 1000 + of.shape.channels);
    Problem problem(of);
    const Plain plain(problem);  // first: it clears dy where rounding decides
    const Answer ours = answer(problem);
    // Inputs are float32: if the mean is large compared with the deviation, they have lost digits.
    const double digits = 1 + std::abs(of.mean) / std::max(of.deviation, 1e-3);
    const double tolerance = 1e-6 * digits;
    const double floor =
        of.deviation == 0 ? 1e-2 : 0;  // x - mean is then a rounding error, times 300
    expect_close(ours.statistics.mean, plain.mean, 1e-6, 1e-7, "mean");
    expect_close(ours.statistics.variance, plain.variance, 1e-5, 1e-9, "variance");
    expect_close(ours.y, plain.y, tolerance, floor, "y");
    expect_close(ours.dx, plain.dx, 0, 5 * tolerance * std::sqrt(plain.terms) + floor, "dx");
    expect_close(ours.dgain, plain.dgain, 5 * tolerance, floor * 10, "dgain");
    expect_close(ours.dshift, plain.dshift, 5 * tolerance, floor, "dshift");
  }
}

TEST_P(NormRelu, GivesTheSameBitsForAnyNumberOfThreads) {
  const Problem problem({{5000, 37}, 0.5, 1});
  const int before = threads();
  set_threads(1);
  const Answer one = answer(problem);
  for (const int count : {2, 3, 4}) {
    set_threads(count);
    const Answer many = answer(problem);
    EXPECT_EQ(many.statistics.mean, one.statistics.mean);
    EXPECT_EQ(many.statistics.variance, one.statistics.variance);
    EXPECT_EQ(many.y, one.y);
    EXPECT_EQ(many.dx, one.dx);
    EXPECT_EQ(many.dgain, one.dgain);
  }
  set_threads(before);
}

/// With a shift that opens every ReLU, norm_relu is the norm alone, bit for bit.
TEST_P(NormRelu, IsTheNormAloneWhereTheReluIsOpen) {
  for (const Case& of : kCases) {
    Problem problem(of);
    std::fill(problem.shift.begin(), problem.shift.end(), 1e4F);
    const Answer open = answer(problem);
    const ChannelMap map = channel_map(open.statistics, problem.gain, problem.shift, kEpsilon);
    Floats y(open.y.size()), dx(y.size()), dgain(open.dgain.size()), dshift(dgain.size());
    norm(problem.shape, problem.x.data(), map, y.data());
    norm_backward(problem.shape, problem.x.data(), problem.dy.data(), open.statistics, map,
                  kEpsilon, {dx.data(), dgain.data(), dshift.data()});
    EXPECT_EQ(y, open.y);
    EXPECT_EQ(dx, open.dx);
    EXPECT_EQ(dgain, open.dgain);
    EXPECT_EQ(dshift, open.dshift);
  }
}

/// y = max(0, norm(x) + shortcut), and the gradients are those of the norm for g = dy where y > 0.
TEST_P(NormRelu, AddsAShortcut) {
  for (const Case& of : kCases) {
    const Problem problem(of);
    const Rows& shape = problem.shape;
    const Floats shortcut = drawn("shortcut", shape.rows * shape.channels, 0, 1);
    const NormStatistics batch = statistics(shape, problem.x.data());
    const ChannelMap map = channel_map(batch, problem.gain, problem.shift, kEpsilon);
    Floats normed(problem.x.size()), y(normed.size()), g(normed.size());
    norm(shape, problem.x.data(), map, normed.data());
    norm_add_relu(shape, problem.x.data(), map, shortcut.data(), y.data());
    for (size_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(y[i], std::max(0.0F, normed[i] + shortcut[i])) << i;
      g[i] = y[i] > 0 ? problem.dy[i] : 0;
    }
    const auto channels = static_cast<size_t>(shape.channels);
    Floats dx(y.size()), dgain(channels), dshift(channels), dshortcut(y.size());
    Floats dx_of_g(y.size()), dgain_of_g(channels), dshift_of_g(channels);
    norm_add_relu_backward(shape, problem.x.data(), y.data(), problem.dy.data(), batch, map,
                           kEpsilon, {dx.data(), dgain.data(), dshift.data()}, dshortcut.data());
    norm_backward(shape, problem.x.data(), g.data(), batch, map, kEpsilon,
                  {dx_of_g.data(), dgain_of_g.data(), dshift_of_g.data()});
    EXPECT_EQ(dshortcut, g);
    EXPECT_EQ(dx, dx_of_g);
    EXPECT_EQ(dgain, dgain_of_g);
    EXPECT_EQ(dshift, dshift_of_g);
  }
}

TEST_P(NormRelu, DoesNotHideWhatIsNotANumber) {
  Problem problem({{40, 19}, 0, 1});
  problem.x[5] = NAN;
  const Answer ours = answer(problem);
  EXPECT_TRUE(std::isnan(ours.y[5]));
  EXPECT_TRUE(std::isnan(ours.y[19 + 5]));  // the whole channel
  EXPECT_FALSE(std::isnan(ours.y[4]));
}

TEST_P(NormRelu, RefusesNothingAndWidthsThatDisagree) {
  EXPECT_THROW(statistics({0, 4}, nullptr), Error);
  const Floats one(1), two(2);
  EXPECT_THROW(channel_map({one, one}, two, one, kEpsilon), Error);
}

}  // namespace
}  // namespace adassl::kernels
