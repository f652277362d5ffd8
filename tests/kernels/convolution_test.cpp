#include "adassl/kernels/convolution/convolution.h"

#include <algorithm>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/kernels/convolution/machine.h"
#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"
#include "kernels/cases.h"
#include "kernels/convolution_case.h"
#include "kernels/emulated_tiles.h"
#include "kernels/trapped_tiles.h"

namespace adassl::kernels {
namespace {

/// Every unit of this machine, and tiles, whether it has them or not: by emulated tiles, and by the
/// code for the machine's own, whose instructions are emulated one by one.
std::vector<std::string> units() {
  std::vector<std::string> out = instruction_sets();
  out.emplace_back("tiles");
#if defined(__x86_64__)
  if (!machine_has_amx()) out.emplace_back("amx_trapped");
#endif
  return out;
}

class Convolution : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "tiles") {
      use_unit(&emulated_tiles());
#if defined(__x86_64__)
    } else if (GetParam() == "amx_trapped") {
      trap_ = std::make_unique<TrappedTiles>();
      use_unit(&amx_unit());
#endif
    } else {
      use_instruction_set(GetParam());
    }
  }
  void TearDown() override {
    use_unit(nullptr);
    use_instruction_set(before_);
    set_threads(1);
#if defined(__x86_64__)
    trap_.reset();
#endif
  }

 private:
#if defined(__x86_64__)
  std::unique_ptr<TrappedTiles> trap_;
#endif
  std::string before_ = instruction_set();
};
INSTANTIATE_TEST_SUITE_P(On, Convolution, testing::ValuesIn(units()),
                         [](const auto& of) { return of.param; });

/// To 1e-2 of the largest number in each place, and 2e-3 in norm; unless bfloat16 has nothing
/// nearer, as may be with one number.
template <class Numbers>
void expect_near(const Numbers& got, const Doubles& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  double largest = 0, norm = 0, distance = 0, worst = 0, nearest = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double value = 0;
    if constexpr (std::is_same_v<Numbers, HalfNumbers>) {
      value = number(got[i]);
    } else {
      value = got[i];
    }
    const double off = std::abs(value - expected[i]);
    ASSERT_TRUE(std::isfinite(value)) << what;
    largest = std::max(largest, std::abs(expected[i]));
    worst = std::max(worst, off);
    norm += expected[i] * expected[i];
    distance += off * off;
    if constexpr (std::is_same_v<Numbers, HalfNumbers>) {
      const double rest = number(rounded({static_cast<float>(expected[i])})[0]) - expected[i];
      nearest += rest * rest;
    }
  }
  EXPECT_LE(worst, 1e-2 * largest) << what;
  EXPECT_LE(std::sqrt(distance), std::max(2e-3 * std::sqrt(norm), 1.001 * std::sqrt(nearest)))
      << what;
}

struct Answer {
  HalfNumbers y, dx;
  Floats dweight;
  NormStatistics statistics;
};

Answer answer_here(const ConvolutionCase& of) {
  Answer out{HalfNumbers(of.y.size()), HalfNumbers(of.x.size()), Floats(of.weight.size()), {}};
  out.statistics = convolve(of.sizes, {of.x.data()}, of.weight.data(), out.y.data());
  input_gradient(of.sizes, {of.x.data()}, {of.dy.data()}, of.weight.data(), out.dx.data());
  weight_gradient(of.sizes, {of.x.data()}, {of.dy.data()}, out.dweight.data());
  return out;
}

/// On a thread of its own, whose buffers are new and no larger than they must be: in a sanitized
/// build they are full of what is no number, and whoever reads beyond them is found out.
Answer answer(const ConvolutionCase& of) {
  Answer out;
  std::thread([&] { out = answer_here(of); }).join();
  return out;
}

void expect_right(const ConvolutionSizes& sizes, uint64_t seed = 1) {
  const ConvolutionCase of(sizes, seed);
  const Answer got = answer(of);
  const std::string name = name_of(sizes);
  expect_near(got.y, of.y, "y of " + name);
  expect_near(got.dx, of.dx, "dx of " + name);
  expect_near(got.dweight, of.dweight, "dweight of " + name);
  const auto channels = static_cast<size_t>(sizes.out);
  const auto rows = static_cast<double>(sizes.outputs());
  for (size_t c = 0; c < channels; ++c) {
    double mean = 0, squares = 0;
    for (size_t i = c; i < of.y.size(); i += channels) mean += of.y[i] / rows;
    for (size_t i = c; i < of.y.size(); i += channels) {
      squares += (of.y[i] - mean) * (of.y[i] - mean) / rows;
    }
    const double deviation = std::sqrt(squares);
    EXPECT_NEAR(got.statistics.mean[c], mean, 1e-3 * (deviation + std::abs(mean))) << name;
    EXPECT_NEAR(got.statistics.variance[c], squares, 1e-3 * (squares + 1e-3 * mean * mean)) << name;
  }
}

TEST_P(Convolution, IsTheDefinitionForTheLayersOfEncoders) {
  expect_right({2, 16, 16, 1, 32, {3, 3}, {2, 2}, {1, 1}});   // video, first
  expect_right({2, 16, 16, 32, 64, {3, 3}, {2, 2}, {1, 1}});  // video, over space
  expect_right({2, 3, 36, 64, 128, {3, 1}, {1, 1}, {1, 0}});  // video, over time
  expect_right({1, 14, 14, 3, 64, {7, 7}, {2, 2}, {3, 3}});   // ResNet's stem
  expect_right({2, 8, 8, 64, 64, {3, 3}, {1, 1}, {1, 1}});    // ResNet
  expect_right({2, 8, 8, 64, 128, {1, 1}, {2, 2}, {0, 0}});   // its short cut
  expect_right({3, 2, 2, 128, 96, {1, 1}, {1, 1}, {0, 0}});
}

TEST_P(Convolution, IsTheDefinitionForOddSizes) {
  expect_right({1, 1, 1, 1, 1, {1, 1}, {1, 1}, {0, 0}});
  expect_right({1, 1, 1, 1, 1, {3, 3}, {1, 1}, {1, 1}});
  expect_right({1, 1, 1, 5, 3, {3, 3}, {2, 2}, {1, 1}});
  expect_right({1, 3, 5, 33, 31, {3, 3}, {2, 1}, {1, 1}});
  expect_right({3, 5, 7, 6, 9, {3, 2}, {2, 3}, {0, 1}});
  expect_right({2, 9, 4, 17, 40, {5, 1}, {3, 1}, {2, 0}});
  expect_right({2, 19, 1, 70, 2, {1, 1}, {2, 1}, {0, 0}});
  expect_right({1, 6, 41, 5, 33, {3, 3}, {1, 1}, {2, 2}});  // a margin wider than the kernel asks
  expect_right({1, 7, 7, 8, 8, {2, 2}, {3, 3}, {0, 0}});    // inputs that nothing reads
  expect_right({37, 4, 3, 2, 5, {3, 3}, {1, 1}, {1, 1}});   // several chunks and groups
}

/// Too many weights for sums of each group's own, and more pixels than one chunk holds.
TEST_P(Convolution, SumsALargeGradientOfWeightsOverChunks) {
  static const ConvolutionCase of({2, 1, 1100, 260, 260, {1, 1}, {1, 1}, {0, 0}});
  Floats dweight(of.weight.size());
  weight_gradient(of.sizes, {of.x.data()}, {of.dy.data()}, dweight.data());
  expect_near(dweight, of.dweight, "dweight");
}

TEST_P(Convolution, IsTheDefinitionForRandomShapes) {
  auto draws = random::Stream(7, "shapes").at(0);
  const auto upto = [&](int64_t most) {
    return 1 + static_cast<int64_t>(draws.uniform() * static_cast<double>(most));
  };
  for (int64_t i = 0; i < cases(12); ++i) {
    ConvolutionSizes sizes{upto(4), upto(12), upto(20), upto(70), upto(70), {}, {}, {}};
    for (size_t axis = 0; axis < 2; ++axis) {
      sizes.kernel[axis] = upto(3);
      sizes.stride[axis] = upto(2);
      sizes.padding[axis] = upto(sizes.kernel[axis]) - 1;
    }
    if (sizes.height + 2 * sizes.padding[0] < sizes.kernel[0]) continue;
    if (sizes.width + 2 * sizes.padding[1] < sizes.kernel[1]) continue;
    expect_right(sizes, static_cast<uint64_t>(i));
  }
}

TEST_P(Convolution, GivesTheSameBitsForAnyNumberOfThreads) {
  const ConvolutionCase of({23, 9, 9, 12, 40, {3, 3}, {2, 2}, {1, 1}});
  set_threads(1);
  const Answer one = answer(of);
  for (const int threads : {2, 3, 4}) {
    set_threads(threads);
    const Answer many = answer(of);
    EXPECT_EQ(many.y, one.y);
    EXPECT_EQ(many.dx, one.dx);
    EXPECT_EQ(many.dweight, one.dweight);
    EXPECT_EQ(many.statistics.mean, one.statistics.mean);
    EXPECT_EQ(many.statistics.variance, one.statistics.variance);
  }
}

/// A norm for numbers that a layer left: what follows it reads max(0, scale x + offset).
struct Norm {
  Norm(const HalfNumbers& x, int64_t channels) {
    Floats wide(x.size());
    widen(static_cast<int64_t>(x.size()), x.data(), wide.data());
    statistics =
        kernels::statistics({static_cast<int64_t>(x.size()) / channels, channels}, wide.data());
    const Floats gain = drawn("gain", 1, channels);
    const Floats shift = drawn("shift", 1, channels);
    map = channel_map(statistics, gain, shift, kEpsilon);
  }
  static constexpr double kEpsilon = 1e-5;
  NormStatistics statistics;
  ChannelMap map;
};

/// Of gradients those whose activation is positive.
Doubles where_open(Doubles g, const HalfNumbers& active) {
  for (size_t i = 0; i < g.size(); ++i) g[i] = number(active[i]) > 0 ? g[i] : 0;
  return g;
}

TEST_P(Convolution, ReadsThroughANorm) {
  for (const ConvolutionSizes& sizes : {ConvolutionSizes{3, 6, 7, 10, 33, {3, 3}, {2, 2}, {1, 1}},
                                        ConvolutionSizes{3, 6, 7, 2, 33, {3, 3}, {1, 1}, {1, 1}}}) {
    const ConvolutionCase of(sizes);
    const Norm norm(of.x, sizes.in);
    const Normed x{of.x.data(), &norm.statistics, &norm.map};
    HalfNumbers active(of.x.size());
    activate(sizes.inputs(), sizes.in, of.x.data(), {norm.map.scale.data(), norm.map.offset.data()},
             sizes.in, active.data());
    HalfNumbers through(of.y.size()), plain(of.y.size());
    convolve(sizes, x, of.weight.data(), through.data());
    convolve(sizes, {active.data()}, of.weight.data(), plain.data());
    EXPECT_EQ(through, plain);
    Floats through_weight(of.weight.size()), plain_weight(of.weight.size());
    weight_gradient(sizes, x, {of.dy.data()}, through_weight.data());
    weight_gradient(sizes, {active.data()}, {of.dy.data()}, plain_weight.data());
    EXPECT_EQ(through_weight, plain_weight);

    // The sums that the norm's own gradient wants.
    HalfNumbers dx(of.x.size());
    const GradientSums sums = input_gradient(sizes, x, {of.dy.data()}, of.weight.data(), dx.data());
    expect_near(dx, where_open(of.dx, active), "dx");
    for (size_t c = 0; c < static_cast<size_t>(sizes.in); ++c) {
      double plain_sum = 0, weighted = 0, size = 0;
      for (size_t i = c; i < dx.size(); i += static_cast<size_t>(sizes.in)) {
        if (number(active[i]) <= 0) continue;
        plain_sum += number(dx[i]);
        weighted += number(dx[i]) * (number(of.x[i]) - norm.statistics.mean[c]);
        size += std::abs(number(dx[i]));
      }
      EXPECT_NEAR(sums.plain[c], plain_sum, 1e-5 * size);
      EXPECT_NEAR(sums.weighted[c], weighted, 1e-5 * size);
    }
  }
}

/// The gradient of what stands before a norm, by the formula.
Doubles before_norm(const HalfNumbers& g, const HalfNumbers& y, const Norm& norm, size_t channels,
                    const GradientSums* sums) {
  Doubles out(g.size());
  const double rows = static_cast<double>(g.size()) / static_cast<double>(channels);
  for (size_t i = 0; i < g.size(); ++i) {
    const size_t c = i % channels;
    const double scale = norm.map.scale[c];
    const double centred = number(y[i]) - norm.statistics.mean[c];
    out[i] = scale * number(g[i]);
    if (sums == nullptr) continue;
    const double variance = norm.statistics.variance[c] + Norm::kEpsilon;
    out[i] -= scale * (sums->plain[c] + centred / variance * sums->weighted[c]) / rows;
  }
  return out;
}

TEST_P(Convolution, TakesGradientsThroughANorm) {
  const ConvolutionSizes sizes{3, 6, 7, 10, 33, {3, 3}, {2, 2}, {1, 1}};
  const ConvolutionCase of(sizes);
  HalfNumbers y(of.y.size());
  convolve(sizes, {of.x.data()}, of.weight.data(), y.data());
  const Norm norm(y, sizes.out);
  HalfNumbers g = of.dy;
  GradientSums sums{Doubles(33), Doubles(33)};
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t c = i % 33;
    if (norm.map.scale[c] * number(y[i]) + norm.map.offset[c] <= 0) g[i] = 0;
    sums.plain[c] += number(g[i]);
    sums.weighted[c] += number(g[i]) * (number(y[i]) - norm.statistics.mean[c]);
  }
  for (const GradientSums* known :
       {static_cast<const GradientSums*>(&sums), static_cast<const GradientSums*>(nullptr)}) {
    const NormedGradient dy{
        g.data(), {y.data(), &norm.statistics, &norm.map}, known, Norm::kEpsilon};
    const Doubles expected = before_norm(g, y, norm, 33, known);
    const HalfNumbers slope = rounded(Floats(expected.begin(), expected.end()));
    HalfNumbers dx(of.x.size()), plain(of.x.size());
    input_gradient(sizes, {of.x.data()}, dy, of.weight.data(), dx.data());
    input_gradient(sizes, {of.x.data()}, {slope.data()}, of.weight.data(), plain.data());
    Doubles as_doubles;
    for (const Bf16 value : plain) as_doubles.push_back(number(value));
    expect_near(dx, as_doubles, "dx");
    Floats dweight(of.weight.size()), plain_weight(of.weight.size());
    weight_gradient(sizes, {of.x.data()}, dy, dweight.data());
    weight_gradient(sizes, {of.x.data()}, {slope.data()}, plain_weight.data());
    expect_near(dweight, Doubles(plain_weight.begin(), plain_weight.end()), "dweight");
  }
}

TEST_P(Convolution, PoolsThroughANorm) {
  constexpr int64_t kImages = 5, kPixels = 7, kChannels = 19;
  const HalfNumbers x = rounded(drawn("x", 3, kImages * kPixels * kChannels));
  const Norm norm(x, kChannels);
  const Normed normed{x.data(), &norm.statistics, &norm.map};
  Floats y(kImages * kChannels);
  pool(kImages, kPixels, kChannels, normed, y.data());
  const Floats dy = drawn("dy", 3, kImages * kChannels);
  HalfNumbers g(x.size());
  const GradientSums sums = pool_backward(kImages, kPixels, kChannels, normed, dy.data(), g.data());
  Doubles plain(kChannels), weighted(kChannels);
  for (size_t image = 0; image < kImages; ++image) {
    for (size_t c = 0; c < kChannels; ++c) {
      const size_t at = image * kChannels + c;
      double mean = 0;
      for (size_t pixel = 0; pixel < kPixels; ++pixel) {
        const size_t i = (image * kPixels + pixel) * kChannels + c;
        const double mapped = norm.map.scale[c] * number(x[i]) + norm.map.offset[c];
        mean += std::max(0.0, mapped) / kPixels;
        const double expected = mapped > 0 ? dy[at] / kPixels : 0;
        EXPECT_NEAR(number(g[i]), expected, 4e-3 * std::abs(expected));
        plain[c] += number(g[i]);
        weighted[c] += number(g[i]) * (number(x[i]) - norm.statistics.mean[c]);
      }
      EXPECT_NEAR(y[at], mean, 1e-5);
    }
  }
  for (size_t c = 0; c < kChannels; ++c) {
    EXPECT_NEAR(sums.plain[c], plain[c], 1e-5);
    EXPECT_NEAR(sums.weighted[c], weighted[c], 1e-5);
  }
}

/// Numbers of two layers that join before a ReLU, and what comes of them by the definition.
struct Joining {
  static constexpr int64_t kChannels = 19;
  explicit Joining(int64_t pixels)
      : count(static_cast<size_t>(pixels * kChannels)),
        x(rounded(drawn("x", 5, pixels * kChannels))),
        other(rounded(drawn("other", 5, pixels * kChannels))),
        norm(x, kChannels),
        other_norm(other, kChannels) {}

  static double mapped(const Norm& by, const HalfNumbers& of, size_t i) {
    return by.map.scale[i % kChannels] * number(of[i]) + by.map.offset[i % kChannels];
  }
  size_t count;
  HalfNumbers x, other;
  Norm norm, other_norm;
};

TEST_P(Convolution, JoinsAShortcutBeforeTheRelu) {
  constexpr int64_t kPixels = 1100;  // several tasks
  const Joining of(kPixels);
  const Normed x{of.x.data(), &of.norm.statistics, &of.norm.map};
  const Normed normed{of.other.data(), &of.other_norm.statistics, &of.other_norm.map};
  const auto expect_joined = [&](const Normed& shortcut, bool bare, const auto& added) {
    HalfNumbers y(of.count);
    join_shortcut(kPixels, Joining::kChannels, x, shortcut, bare, y.data());
    Doubles expected(of.count);
    for (size_t i = 0; i < of.count; ++i) {
      expected[i] = std::max(0.0, Joining::mapped(of.norm, of.x, i) + added(i));
    }
    expect_near(y, expected, bare ? "bare" : "activations");
  };
  const auto mapped = [&](size_t i) { return Joining::mapped(of.other_norm, of.other, i); };
  expect_joined(normed, true, mapped);
  expect_joined(normed, false, [&](size_t i) { return std::max(0.0, mapped(i)); });
  HalfNumbers positive = of.other;
  for (Bf16& number : positive) number &= 0x7FFF;
  Normed joined = normed;
  joined.joined = positive.data();
  expect_joined(joined, false, [&](size_t i) { return number(positive[i]); });
}

TEST_P(Convolution, ReadsWhatWasJoinedAndGivesItsGradient) {
  const ConvolutionSizes sizes{3, 6, 7, Joining::kChannels, 33, {3, 3}, {2, 2}, {1, 1}};
  const ConvolutionCase of(sizes);  // its x are the activations, once they are positive
  const Joining join_of(sizes.inputs());
  HalfNumbers active = of.x;
  for (Bf16& half : active) half = number(half) > 0 ? half : Bf16{0};
  const Normed x{join_of.x.data(), &join_of.norm.statistics, &join_of.norm.map, active.data()};

  HalfNumbers y(of.y.size()), plain(of.y.size());
  convolve(sizes, x, of.weight.data(), y.data());
  convolve(sizes, {active.data()}, of.weight.data(), plain.data());
  EXPECT_EQ(y, plain);
  Floats dweight(of.weight.size()), plain_weight(of.weight.size());
  weight_gradient(sizes, x, {of.dy.data()}, dweight.data());
  weight_gradient(sizes, {active.data()}, {of.dy.data()}, plain_weight.data());
  EXPECT_EQ(dweight, plain_weight);

  const HalfNumbers addend = rounded(drawn("addend", 5, sizes.inputs() * sizes.in));
  Doubles expected = of.dx;
  for (size_t i = 0; i < expected.size(); ++i) expected[i] += number(addend[i]);
  HalfNumbers dx(of.x.size());
  input_gradient(sizes, {}, {of.dy.data()}, of.weight.data(), dx.data(), addend.data());
  expect_near(dx, expected, "without a norm");
  const GradientSums sums =
      input_gradient(sizes, x, {of.dy.data()}, of.weight.data(), dx.data(), addend.data());
  expect_near(dx, where_open(expected, active), "dx");
  const GradientSums again = gradient_sums(3, 42, sizes.in, x, dx.data());
  for (size_t c = 0; c < static_cast<size_t>(sizes.in); ++c) {
    double plain_sum = 0, weighted = 0, size = 0;
    for (size_t i = c; i < dx.size(); i += static_cast<size_t>(sizes.in)) {
      plain_sum += number(dx[i]);
      weighted += number(dx[i]) * (number(join_of.x[i]) - join_of.norm.statistics.mean[c]);
      size += std::abs(number(dx[i]));
    }
    for (const GradientSums* of_these : {&sums, &again}) {
      EXPECT_NEAR(of_these->plain[c], plain_sum, 1e-5 * size);
      EXPECT_NEAR(of_these->weighted[c], weighted, 1e-5 * size);
    }
  }

  Floats pooled(3 * Joining::kChannels);
  pool(3, 42, sizes.in, x, pooled.data());
  Doubles means(pooled.size());
  for (size_t i = 0; i < active.size(); ++i) {
    means[i / (42 * 19) * 19 + i % 19] += number(active[i]) / 42;
  }
  for (size_t i = 0; i < means.size(); ++i) EXPECT_NEAR(pooled[i], means[i], 1e-5);
}

TEST_P(Convolution, RoundsToTheNearestAndKeepsWhatIsNoNumber) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Floats from = {1.0F,  1.00390625F, 1.01171875F, 1.005F,  -2.5F,         0.0F,
                       -0.0F, infinity,    -infinity,   3.4e38F, 1e-38F,        65504,
                       1e-3F, 7.0F,        8.0F,        9.0F,    std::nanf(""), std::nanf("1")};
  const HalfNumbers to = rounded(from);
  EXPECT_EQ(number(to[0]), 1);
  EXPECT_EQ(number(to[1]), 1) << "a tie goes to the even one";
  EXPECT_EQ(number(to[2]), 1.015625) << "a tie goes to the even one";
  EXPECT_EQ(number(to[3]), 1.0078125);
  EXPECT_EQ(number(to[4]), -2.5);
  EXPECT_EQ(to[6], 0x8000);
  EXPECT_EQ(number(to[7]), infinity);
  EXPECT_EQ(number(to[8]), -infinity);
  EXPECT_EQ(number(to[9]), infinity);
  EXPECT_TRUE(std::isnan(number(to[16])));
  EXPECT_TRUE(std::isnan(number(to[17])));
  for (size_t i = 10; i < 16; ++i) EXPECT_NEAR(number(to[i]), from[i], from[i] / 256);
}

TEST_P(Convolution, HasAUnitThatPassesTheTrial) { EXPECT_TRUE(product_is_right(unit())); }

#if defined(__x86_64__)
TEST(ConvolutionUnit, OfTilesGivesTheInstructionsOfTheManual) {
  if (machine_has_amx()) GTEST_SKIP() << "the machine obeys, and does not ask us";
  const TrappedTiles trap;
  const int64_t before = TrappedTiles::obeyed();
  EXPECT_TRUE(product_is_right(amx_unit()));
  // Configure; four sums to zero; one step of four loads and four products; four stores; release.
  EXPECT_EQ(TrappedTiles::obeyed() - before, 1 + 4 + 8 + 4 + 1);
}
#endif

TEST(ConvolutionUnit, ThatIsWrongFailsTheTrial) {
  Unit wrong = portable_unit();
  wrong.product = [](const Product& shape, const Bf16* a0, const Bf16* a1, const Bf16* b,
                     float* c) {
    portable_unit().product(shape, a0, a1, b, c);
    c[3 * kColumns + 5] += 1;
  };
  EXPECT_FALSE(product_is_right(wrong));
}

TEST(ConvolutionUnit, OfTilesIsUsedWhereTheTrialSucceeded) {
  EXPECT_EQ(machine_has_amx(), std::string(amx_state()) == "works");
  const std::vector<std::string> sets = instruction_sets();
  EXPECT_EQ(std::find(sets.begin(), sets.end(), "amx") != sets.end(), machine_has_amx());
}

TEST(ConvolutionSizes, WithoutOutputsAreRefused) {
  Bf16 x = 0, y = 0;
  const float weight = 0;
  EXPECT_THROW(convolve({1, 1, 1, 1, 1, {3, 3}, {1, 1}, {0, 0}}, {&x}, &weight, &y), Error);
  EXPECT_THROW(convolve({1, 0, 1, 1, 1, {1, 1}, {1, 1}, {1, 1}}, {&x}, &weight, &y), Error);
  EXPECT_THROW(convolve({0, 1, 1, 1, 1, {1, 1}, {1, 1}, {0, 0}}, {&x}, &weight, &y), Error);
}

}  // namespace
}  // namespace adassl::kernels
