#include "adassl/kernels/relu_pool.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/core/random.h"
#include "adassl/kernels/convolution/passes.h"
#include "adassl/kernels/threads.h"
#include "kernels/instruction_sets.h"

/// Max pooling behind a norm and a ReLU, against plain loops, on each instruction set. (Against
/// LibTorch: tests/nn/residual_test.cpp and resnet_chain_test.cpp.)
namespace adassl::kernels {
namespace {

const std::vector<PoolSizes> kCases = {
    {2, 7, 9, 5, {3, 3}, {2, 2}, {1, 1}},    {1, 12, 12, 37, {3, 3}, {2, 2}, {1, 1}},
    {3, 4, 5, 1, {2, 2}, {2, 2}, {0, 0}},    {2, 6, 6, 64, {3, 2}, {1, 2}, {1, 1}},
    {2, 1, 1, 3, {3, 3}, {2, 2}, {1, 1}},    {1, 9, 3, 16, {3, 3}, {3, 3}, {0, 0}},
    {2, 8, 8, 19, {15, 17}, {1, 1}, {7, 8}},
};

/// Numbers of one decimal, so that several of a window are often equal.
std::vector<float> drawn(const char* purpose, int64_t count) {
  std::vector<float> out(static_cast<size_t>(count));
  auto draws = random::Stream(1, purpose).at(0);
  for (float& x : out) x = std::round(10 * static_cast<float>(draws.normal())) / 10;
  return out;
}

std::vector<Bf16> rounded(const std::vector<float>& from) {
  std::vector<Bf16> out(from.size());
  round_to_bf16(std::ssize(from), from.data(), out.data());
  return out;
}
std::vector<float> widened(const std::vector<Bf16>& from) {
  std::vector<float> out(from.size());
  widen(std::ssize(from), from.data(), out.data());
  return out;
}

struct Float {
  using Number = float;
  static std::vector<float> from(const std::vector<float>& x) { return x; }
  static std::vector<float> back(const std::vector<float>& x) { return x; }
};
struct Half {
  using Number = Bf16;
  static std::vector<Bf16> from(const std::vector<float>& x) { return rounded(x); }
  static std::vector<float> back(const std::vector<Bf16>& x) { return widened(x); }
};

struct Answer {
  std::vector<float> y, g;
  std::vector<uint8_t> taps;
  bool operator==(const Answer&) const = default;
};

struct Problem {
  explicit Problem(const PoolSizes& of)
      : sizes(of),
        x(drawn("x", of.inputs() * of.channels)),
        dy(drawn("dy", of.outputs() * of.channels)),
        map{drawn("scale", of.channels), drawn("offset", of.channels)} {}
  PoolSizes sizes;
  std::vector<float> x, dy;
  ChannelMap map;
};

template <class Type>
Answer ours(const Problem& problem) {
  using Number = typename Type::Number;
  std::vector<Number> y(problem.dy.size()), g(problem.x.size());
  Answer out;
  out.taps.resize(y.size());
  relu_pool(problem.sizes, Type::from(problem.x).data(), problem.map, y.data(), out.taps.data());
  relu_pool_backward(problem.sizes, Type::from(problem.dy).data(), out.taps.data(), g.data());
  out.y = Type::back(y);
  out.g = Type::back(g);
  return out;
}

/// The definition. Sums have the order of ours, so that the bits agree.
template <class Type>
Answer expected(const Problem& problem) {
  const PoolSizes& s = problem.sizes;
  const auto stored = [](float v) { return Type::back(Type::from({v}))[0]; };
  const std::vector<float> x = Type::back(Type::from(problem.x));
  const std::vector<float> dy = Type::back(Type::from(problem.dy));
  Answer out{std::vector<float>(dy.size()), std::vector<float>(x.size()),
             std::vector<uint8_t>(dy.size(), kClosed)};
  for (int64_t image = 0; image < s.images; ++image) {
    for (int64_t i = 0; i < s.out_height(); ++i) {
      for (int64_t j = 0; j < s.out_width(); ++j) {
        for (int64_t c = 0; c < s.channels; ++c) {
          const auto at = static_cast<size_t>(
              ((image * s.out_height() + i) * s.out_width() + j) * s.channels + c);
          size_t from = 0;
          for (int64_t t = 0; t < s.kernel[0] * s.kernel[1]; ++t) {
            const int64_t h = i * s.stride[0] + t / s.kernel[1] - s.padding[0];
            const int64_t w = j * s.stride[1] + t % s.kernel[1] - s.padding[1];
            if (h < 0 || w < 0 || h >= s.height || w >= s.width) continue;
            const auto q =
                static_cast<size_t>(((image * s.height + h) * s.width + w) * s.channels + c);
            const auto channel = static_cast<size_t>(c);
            const float a =
                stored(std::fma(x[q], problem.map.scale[channel], problem.map.offset[channel]));
            if (a <= out.y[at]) continue;
            out.y[at] = a;
            out.taps[at] = static_cast<uint8_t>(t);
            from = q;
          }
          if (out.taps[at] != kClosed) out.g[from] += dy[at];
        }
      }
    }
  }
  for (float& g : out.g) g = stored(g);
  return out;
}

class ReluPool : public OnEachInstructionSet {
 protected:
  void TearDown() override {
    set_threads(1);
    OnEachInstructionSet::TearDown();
  }
};
ADASSL_ON_EACH_INSTRUCTION_SET(ReluPool);

template <class Type>
void expect_definition(const Problem& problem) {
  const Answer got = ours<Type>(problem);
  const Answer wanted = expected<Type>(problem);
  EXPECT_EQ(got.taps, wanted.taps);
  EXPECT_EQ(got.y, wanted.y);
  EXPECT_EQ(got.g, wanted.g);
}

TEST_P(ReluPool, IsItsDefinitionForwardAndBackward) {
  for (const PoolSizes& sizes : kCases) {
    SCOPED_TRACE(sizes.height * 100 + sizes.width);
    Problem problem(sizes);
    if (GetParam() == "baseline") {  // its products are not fused: let them be exact
      for (float& scale : problem.map.scale) scale = scale < 0 ? -0.5F : 2.0F;
      for (float& offset : problem.map.offset) offset = offset < 0 ? -0.25F : 0.5F;
    }
    expect_definition<Float>(problem);
    expect_definition<Half>(problem);
  }
}

TEST_P(ReluPool, GivesTheSameBitsForAnyNumberOfThreads) {
  const Problem problem(kCases[1]);
  const Answer one = ours<Half>(problem);
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_EQ(ours<Half>(problem), one);
  }
}

TEST_P(ReluPool, DoesNotHideWhatIsNotANumber) {
  Problem problem({1, 6, 6, 4, {3, 3}, {2, 2}, {1, 1}});
  problem.map = {std::vector<float>(4, 1), std::vector<float>(4, 0)};
  problem.x[(2 * 6 + 2) * 4 + 1] = NAN;  // in the one window around (2, 2)
  const Answer got = ours<Float>(problem);
  for (size_t i = 0; i < got.y.size(); ++i) {
    EXPECT_EQ(std::isnan(got.y[i]), i == (1 * 3 + 1) * 4 + 1) << i;
  }
  EXPECT_TRUE(std::isnan(ours<Half>(problem).y[(1 * 3 + 1) * 4 + 1]));
}

TEST_P(ReluPool, RefusesWindowsWithoutAPixelAndTooManyTaps) {
  const ChannelMap map{{1}, {0}};
  for (const PoolSizes& sizes : {PoolSizes{1, 4, 4, 1, {2, 2}, {1, 1}, {2, 0}},
                                 PoolSizes{1, 2, 2, 1, {3, 3}, {1, 1}, {0, 0}},
                                 PoolSizes{1, 32, 32, 1, {16, 16}, {1, 1}, {0, 0}}}) {
    EXPECT_THROW(relu_pool(sizes, static_cast<const float*>(nullptr), map, nullptr, nullptr),
                 Error);
  }
}

}  // namespace
}  // namespace adassl::kernels
