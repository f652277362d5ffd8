#include <algorithm>

#include <gtest/gtest.h>

#include "adassl/kernels/convolution/convolution.h"
#include "kernels/convolution_case.h"
#include "kernels/on_every_unit.h"

/// Convolutions with the norms, ReLUs and shortcuts around them.
namespace adassl::kernels {
namespace {

class ConvolutionNorm : public OnEveryUnit {};
INSTANTIATE_TEST_SUITE_P(On, ConvolutionNorm, testing::ValuesIn(units()),
                         [](const auto& of) { return of.param; });

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

/// That a convolution of x is one of these activations, to the bit, and so its weights' gradient.
void expect_reads(const ConvolutionCase& of, const Normed& x, const HalfNumbers& active) {
  HalfNumbers through(of.y.size()), plain(of.y.size());
  convolve(of.sizes, x, of.weight.data(), through.data());
  convolve(of.sizes, {active.data()}, of.weight.data(), plain.data());
  EXPECT_EQ(through, plain);
  Floats through_weight(of.weight.size()), plain_weight(of.weight.size());
  weight_gradient(of.sizes, x, {of.dy.data()}, through_weight.data());
  weight_gradient(of.sizes, {active.data()}, {of.dy.data()}, plain_weight.data());
  EXPECT_EQ(through_weight, plain_weight);
}

/// Of gradients those whose activation is positive.
Doubles where_open(Doubles g, const HalfNumbers& active) {
  for (size_t i = 0; i < g.size(); ++i) g[i] = number(active[i]) > 0 ? g[i] : 0;
  return g;
}

TEST_P(ConvolutionNorm, ReadsThroughANorm) {
  for (const ConvolutionSizes& sizes : {ConvolutionSizes{3, 6, 7, 10, 33, {3, 3}, {2, 2}, {1, 1}},
                                        ConvolutionSizes{3, 6, 7, 2, 33, {3, 3}, {1, 1}, {1, 1}}}) {
    const ConvolutionCase of(sizes);
    const Norm norm(of.x, sizes.in);
    const Normed x{of.x.data(), &norm.statistics, &norm.map};
    HalfNumbers active(of.x.size());
    activate(sizes.inputs(), sizes.in, of.x.data(), {norm.map.scale.data(), norm.map.offset.data()},
             sizes.in, active.data());
    expect_reads(of, x, active);

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

TEST_P(ConvolutionNorm, TakesGradientsThroughANorm) {
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

TEST_P(ConvolutionNorm, PoolsThroughANorm) {
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

TEST_P(ConvolutionNorm, JoinsAShortcutBeforeTheRelu) {
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

TEST_P(ConvolutionNorm, ReadsWhatWasJoinedAndGivesItsGradient) {
  const ConvolutionSizes sizes{3, 6, 7, Joining::kChannels, 33, {3, 3}, {2, 2}, {1, 1}};
  const ConvolutionCase of(sizes);  // its x are the activations, once they are positive
  const Joining join_of(sizes.inputs());
  HalfNumbers active = of.x;
  for (Bf16& half : active) half = number(half) > 0 ? half : Bf16{0};
  const Normed x{join_of.x.data(), &join_of.norm.statistics, &join_of.norm.map, active.data()};

  expect_reads(of, x, active);

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

/// A ReLU must not turn it into 0, nor a closed one hide it.
TEST_P(ConvolutionNorm, KeepsWhatIsNoNumber) {
  const ConvolutionSizes sizes{2, 1, 40, 33, 20, {1, 1}, {1, 1}, {0, 0}};
  ConvolutionCase of(sizes);
  const Norm norm(of.x, sizes.in);
  constexpr size_t kPixel = 7;
  const size_t at = kPixel * 33;  // its first channel: of whole vectors
  const size_t also = at + 32;    // and its last: of what is left
  for (const size_t place : {at, also}) of.x[place] = 0x7FC0;
  const Normed x{of.x.data(), &norm.statistics, &norm.map};
  const auto is_none = [](double value) { return std::isnan(value); };

  HalfNumbers y(of.y.size());
  convolve(sizes, x, of.weight.data(), y.data());
  EXPECT_TRUE(is_none(number(y[kPixel * 20])));
  EXPECT_FALSE(is_none(number(y[(kPixel + 1) * 20])));

  Floats pooled(2 * 33);
  pool(2, 40, 33, x, pooled.data());
  EXPECT_TRUE(is_none(pooled[0]) && is_none(pooled[32]));
  EXPECT_FALSE(is_none(pooled[1]));

  const HalfNumbers other = rounded(drawn("other", 5, sizes.inputs() * sizes.in));
  const Norm other_norm(other, sizes.in);
  const Normed sound{other.data(), &other_norm.statistics, &other_norm.map};
  HalfNumbers joined(of.x.size());
  for (const bool bare : {false, true}) {
    join_shortcut(80, 33, x, sound, bare, joined.data());
    EXPECT_TRUE(is_none(number(joined[at])) && is_none(number(joined[also])));
    join_shortcut(80, 33, sound, x, bare, joined.data());
    EXPECT_TRUE(is_none(number(joined[at])) && is_none(number(joined[also])));
    EXPECT_FALSE(is_none(number(joined[at + 1])));
  }

  HalfNumbers dx(of.x.size());
  const GradientSums sums = input_gradient(sizes, x, {of.dy.data()}, of.weight.data(), dx.data());
  EXPECT_TRUE(is_none(sums.weighted[0]) && is_none(sums.weighted[32]));
  EXPECT_FALSE(is_none(sums.weighted[1]));
}

}  // namespace
}  // namespace adassl::kernels
