#include "adassl/kernels/convolution/convolution.h"

#include <algorithm>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/kernels/convolution/machine.h"
#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"
#include "kernels/cases.h"
#include "kernels/convolution_case.h"
#include "kernels/on_every_unit.h"
#include "kernels/trapped_tiles.h"

namespace adassl::kernels {
namespace {

class Convolution : public OnEveryUnit {};
INSTANTIATE_TEST_SUITE_P(On, Convolution, testing::ValuesIn(units()),
                         [](const auto& of) { return of.param; });

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

/// Of the numbers that are there.
void expect_statistics(const NormStatistics& got, const HalfNumbers& y, const std::string& what) {
  const size_t channels = got.mean.size();
  const double rows = static_cast<double>(y.size()) / static_cast<double>(channels);
  for (size_t c = 0; c < channels; ++c) {
    double mean = 0, variance = 0;
    for (size_t i = c; i < y.size(); i += channels) mean += number(y[i]) / rows;
    for (size_t i = c; i < y.size(); i += channels) {
      variance += (number(y[i]) - mean) * (number(y[i]) - mean) / rows;
    }
    const double scale = std::abs(mean) + std::sqrt(variance);
    EXPECT_NEAR(got.mean[c], mean, 1e-6 * scale) << what;
    EXPECT_NEAR(got.variance[c], variance, 1e-5 * variance + 1e-12 * scale * scale) << what;
  }
}

void expect_right(const ConvolutionSizes& sizes, uint64_t seed = 1) {
  const ConvolutionCase of(sizes, seed);
  const Answer got = answer(of);
  const std::string name = name_of(sizes);
  expect_near(got.y, of.y, "y of " + name);
  expect_near(got.dx, of.dx, "dx of " + name);
  expect_near(got.dweight, of.dweight, "dweight of " + name);
  expect_statistics(got.statistics, got.y, name);
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
  Floats dweight(of.weight.size()), by_more(of.weight.size());
  weight_gradient(of.sizes, {of.x.data()}, {of.dy.data()}, dweight.data());
  expect_near(dweight, of.dweight, "dweight");
  set_threads(3);
  weight_gradient(of.sizes, {of.x.data()}, {of.dy.data()}, by_more.data());
  EXPECT_EQ(by_more, dweight);
}

/// Means up to some 500 deviations away from 0, in pictures whose first pixel is far from either.
TEST_P(Convolution, KnowsTheVarianceAboutALargeMean) {
  const ConvolutionSizes sizes{3, 1, 300, 2, 3, {1, 1}, {1, 1}, {0, 0}};
  ConvolutionCase of(sizes);
  for (size_t i = 0; i < of.x.size(); i += 2)
    of.x[i] = rounded({i % 600 == 0 ? 0.96875F : 1.0F})[0];
  of.weight = {0, 1, 32, 1, 128, 0.125F};  // on 1, and on what varies
  HalfNumbers y(of.y.size());
  const NormStatistics got = convolve(sizes, {of.x.data()}, of.weight.data(), y.data());
  expect_statistics(got, y, "y");
  EXPECT_GT(got.mean[2], 400 * std::sqrt(got.variance[2]));
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

TEST_P(Convolution, RoundsToTheNearestAndKeepsWhatIsNoNumber) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Floats from = {1.0F,      1.00390625F, 1.01171875F, 1.005F, -2.5F, 0.0F, -0.0F, infinity,
                       -infinity, 3.4e38F,     1e-38F,      65504,  1e-3F, 7.0F, 8.0F,  9.0F};
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
  for (size_t i = 10; i < 16; ++i) EXPECT_NEAR(number(to[i]), from[i], from[i] / 256);

  // Of these a mere sum would make 0, -0 and infinity.
  for (const uint32_t bits : {0xFFFFFFFFU, 0x7FFFFFFFU, 0x7F800001U, 0x7FC00000U}) {
    const HalfNumbers none = rounded(Floats(37, std::bit_cast<float>(bits)));  // and a remainder
    for (const Bf16 half : none) EXPECT_TRUE(std::isnan(number(half))) << bits;
  }
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

TEST(ConvolutionUnit, IsThatOfTheInstructionsInUse) {
  const std::string before = instruction_set();
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    const bool own = set == "amx" || set == "avx512_bf16";
    EXPECT_EQ(unit().name, own ? set : portable_unit().name) << set;
  }
  use_instruction_set(before);
}

TEST(ConvolutionUnit, MayDieInTheTrial) {
  EXPECT_TRUE(child_gets_product_right(portable_unit()));
  Unit refused = portable_unit();
  refused.begin = [](int64_t, int64_t) { raise(SIGILL); };
  EXPECT_FALSE(child_gets_product_right(refused));
#if defined(__x86_64__)
  // By the instructions themselves.
  EXPECT_EQ(child_gets_product_right(avx512_bf16_unit()), machine_has_avx512_bf16());
  EXPECT_EQ(child_gets_product_right(amx_unit()), machine_has_amx());
#endif
}

TEST(ConvolutionUnit, IsTriedEvenIfTheEndsOfChildrenAreIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_TRUE(child_gets_product_right(portable_unit()));
  EXPECT_EQ(std::signal(SIGCHLD, before), SIG_IGN) << "as it was";
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
