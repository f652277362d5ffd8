#include "adassl/data/numerical.h"

#include <cmath>

#include <gtest/gtest.h>

#include "adassl/core/small_matrix.h"
#include "adassl/kernels/simd.h"
#include "support/error_message.h"

namespace adassl::data {
namespace {

constexpr size_t kContent = 5;
constexpr size_t kWidth = 10;

Numerical source(const std::string& conditional, uint64_t seed = 1, int64_t candidates = 20,
                 int64_t activations = 3) {
  Numerical::Options options;
  options.conditional = conditional;
  options.mixing.candidates = candidates;
  options.mixing.activations = activations;
  return {options, seed};
}

/// Solves a x = b by Gauss-Jordan with pivoting.
std::vector<double> solve(Matrix a, std::vector<double> b) {
  const size_t n = a.rows;
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t i = k; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    for (size_t j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    std::swap(b[k], b[pivot]);
    for (size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a(i, k) / a(k, k);
      for (size_t j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (size_t k = 0; k < n; ++k) b[k] /= a(k, k);
  return b;
}

/// z from x: the mixing undone, layer by layer.
std::vector<double> unmix(const Mixing& g, const float* x) {
  std::vector<double> z(x, x + kWidth);
  for (size_t layer = g.weights().size(); layer-- > 0;) {
    for (double& value : z) value = value > 0 ? value : value / 0.2;
    z = solve(g.weights()[layer], z);
  }
  return z;
}

TEST(Numerical, ViewsShowTheContentTheyShouldAndStyleOfTheirOwn) {
  const Numerical numerical = source("complex");
  const Batch batch = numerical.pairs({1, "test"}, 50);
  for (size_t i = 0; i < 50; ++i) {
    const auto z = [&](const Array& view) {
      return unmix(numerical.mixing(), &view.values[i * kWidth]);
    };
    const auto x = z(batch.x);
    const auto x_plus = z(batch.x_plus);
    const auto helper = z(batch.helper);
    const auto mirror = z(batch.mirror_helper);
    for (size_t k = 0; k < kContent; ++k) {
      const double c = batch.factors.values[i * kContent + k];
      const double c_plus = batch.factors_plus.values[i * kContent + k];
      EXPECT_NEAR(x[k], c, 2e-4);
      EXPECT_NEAR(mirror[k], c, 2e-4);
      EXPECT_NEAR(x_plus[k], c_plus, 2e-4);
      EXPECT_NEAR(helper[k], c_plus, 2e-4);
      EXPECT_NEAR(batch.change.values[i * kContent + k], c_plus - c, 1e-5);
    }
    for (size_t k = kContent; k < kWidth; ++k) {
      EXPECT_GT(std::abs(x[k] - mirror[k]), 1e-5);
      EXPECT_GT(std::abs(x_plus[k] - helper[k]), 1e-5);
      EXPECT_GT(std::abs(x[k] - x_plus[k]), 1e-5);
    }
  }
}

TEST(Numerical, OneSeedIsOneTrialForEveryConditional) {
  const Numerical a = source("complex", 3);
  const Numerical b = source("isotropic", 3);
  const Numerical other = source("complex", 4);
  EXPECT_EQ(a.sigma().values, b.sigma().values);
  EXPECT_EQ(a.mixing().weights()[2].values, b.mixing().weights()[2].values);
  EXPECT_NE(a.sigma().values, other.sigma().values);
}

TEST(Numerical, BatchesAreAPureFunctionOfTheStream) {
  const Numerical numerical = source("heteroscedastic");
  const Batch a = numerical.pairs({1, "test", 5}, 16);
  const Batch other = numerical.pairs({1, "test", 6}, 16);
  EXPECT_EQ(a.x_plus.values, numerical.pairs({1, "test", 5}, 16).x_plus.values);
  EXPECT_NE(a.x_plus.values, other.x_plus.values);
}

std::vector<const Array*> arrays(const Batch& b) {
  return {&b.x, &b.x_plus, &b.helper, &b.mirror_helper, &b.change, &b.factors, &b.factors_plus};
}

bool begins_with(const Array& longer, const Array& shorter) {
  return longer.shape[1] == shorter.shape[1] &&
         std::equal(shorter.values.begin(), shorter.values.end(), longer.values.begin());
}

const std::vector<std::string> kConditionals = {"zero", "isotropic", "anisotropic",
                                                "heteroscedastic", "complex"};

TEST(Numerical, ASampleDoesNotDependOnHowManyThereAre) {
  for (const std::string& conditional : kConditionals) {
    const Numerical numerical = source(conditional);
    const Batch whole = numerical.pairs({1, "test"}, 200);
    for (const int64_t count : {0, 1, 10, 64, 65, 199}) {
      const Batch part = numerical.pairs({1, "test"}, count);
      for (size_t k = 0; k < arrays(part).size(); ++k) {
        EXPECT_EQ(arrays(part)[k]->rows(), count);
        EXPECT_TRUE(begins_with(*arrays(whole)[k], *arrays(part)[k]))
            << conditional << ", array " << k;
      }
      for (const std::string& population : numerical.populations()) {
        const Samples few = numerical.samples(population, {1, "test"}, count);
        const Samples many = numerical.samples(population, {1, "test"}, 200);
        EXPECT_TRUE(begins_with(many.x, few.x) && begins_with(many.known, few.known));
      }
    }
    const Samples anchors = numerical.samples("pz", {1, "test"}, 200);
    EXPECT_EQ(anchors.x.values, whole.x.values) << "pz is the training population";
    EXPECT_EQ(anchors.known.values, whole.factors.values);
  }
}

TEST(Numerical, HasTheSameBitsOnEveryInstructionSet) {
  const std::string before = kernels::instruction_set();
  for (const std::string& conditional : kConditionals) {
    const Numerical numerical = source(conditional);
    kernels::use_instruction_set("baseline");
    const Batch expected = numerical.pairs({1, "test"}, 300);
    const Samples shifted = numerical.samples("n5", {1, "test"}, 300);
    for (const std::string& set : kernels::instruction_sets()) {
      kernels::use_instruction_set(set);
      const Batch found = numerical.pairs({1, "test"}, 300);
      for (size_t k = 0; k < arrays(found).size(); ++k) {
        EXPECT_EQ(arrays(found)[k]->values, arrays(expected)[k]->values) << set;
      }
      EXPECT_EQ(numerical.samples("n5", {1, "test"}, 300).x.values, shifted.x.values) << set;
    }
  }
  kernels::use_instruction_set(before);
}

TEST(Numerical, TakesAnyNumberOfFactors) {
  for (const int64_t content : {1, 3, 32}) {
    for (const int64_t style : {0, 1, 32}) {
      Numerical::Options options;
      options.content = content;
      options.style = style;
      options.mixing.candidates = 1;
      const Batch batch = Numerical(options, 1).pairs({1, "test"}, 70);
      EXPECT_EQ(batch.x.columns(), content + style);
      EXPECT_EQ(batch.change.columns(), content);
      for (const Array* array : arrays(batch)) {
        for (const float value : array->values) ASSERT_TRUE(std::isfinite(value));
      }
    }
  }
}

/// Mean square of c+ - c, for each content factor.
std::vector<double> mean_squared_change(const Numerical& numerical, int64_t count) {
  const Batch batch = numerical.pairs({9, "test"}, count);
  std::vector<double> out(kContent);
  for (size_t at = 0; at < batch.change.values.size(); ++at) {
    out[at % kContent] += std::pow(batch.change.values[at], 2) / static_cast<double>(count);
  }
  return out;
}

TEST(Numerical, ZeroMeansNoChangeAndIsotropicMeansVarianceOne) {
  for (const double value : mean_squared_change(source("zero"), 100)) EXPECT_EQ(value, 0);
  for (const double value : mean_squared_change(source("isotropic"), 40000)) {
    EXPECT_NEAR(value, 1, 5 * std::sqrt(2.0 / 40000));  // 5 deviations of a mean of squares
  }
}

TEST(Numerical, ContentHasTheCovarianceSigma) {
  const Numerical numerical = source("isotropic");
  constexpr size_t kCount = 40000;
  const Samples samples = numerical.samples("pz", {9, "test"}, kCount);
  const Matrix& sigma = numerical.sigma();
  for (size_t j = 0; j < kContent; ++j) {
    for (size_t k = 0; k < kContent; ++k) {
      double covariance = 0;
      for (size_t i = 0; i < kCount; ++i) {
        const float* c = &samples.known.values[i * kContent];
        covariance += c[j] * c[k] / kCount;
      }
      const double variance = sigma(j, j) * sigma(k, k) + sigma(j, k) * sigma(j, k);  // Isserlis
      EXPECT_NEAR(covariance, sigma(j, k), 5 * std::sqrt(variance / kCount));
    }
  }
}

TEST(Numerical, AnisotropicChangesHaveTheVariancesOfTheTrial) {
  const Numerical numerical = source("anisotropic");
  const std::vector<double> found = mean_squared_change(numerical, 40000);
  for (size_t k = 0; k < kContent; ++k) {
    const double variance = numerical.anisotropic_variance()[k];
    EXPECT_NEAR(found[k], variance, 5 * variance * std::sqrt(2.0 / 40000));
  }
}

TEST(Numerical, HeteroscedasticChangesHaveTheVarianceThatContentSays) {
  // W_sigma as the source draws it; each change over its own deviation is then a standard normal.
  const Numerical numerical = source("heteroscedastic");
  random::Sequence draws = random::Stream(1, "numerical/w_sigma").at(0);
  Matrix w(kContent, kContent);
  for (double& value : w.values) value = draws.normal();
  constexpr size_t kCount = 40000;
  const Batch batch = numerical.pairs({9, "test"}, kCount);
  for (size_t k = 0; k < kContent; ++k) {
    double square = 0;
    double fourth = 0;
    for (size_t i = 0; i < kCount; ++i) {
      double spread = std::log(std::exp(1.0) - 1);
      for (size_t j = 0; j < kContent; ++j) {
        spread += w(k, j) * batch.factors.values[i * kContent + j];
      }
      const double variance = spread > 30 ? spread : std::log1p(std::exp(spread));
      const double ratio = std::pow(batch.change.values[i * kContent + k], 2) / variance;
      square += ratio / kCount;
      fourth += ratio * ratio / kCount;
    }
    EXPECT_NEAR(square, 1, 5 * std::sqrt(2.0 / kCount));
    EXPECT_NEAR(fourth, 3, 5 * std::sqrt(96.0 / kCount));
  }
}

TEST(Numerical, AnisotropicVariancesHaveTheInverseGammaMean) {
  // 1 / Gamma(2) has mean 1 but infinite variance; its inverse has mean 2 and variance 2.
  double inverse_mean = 0;
  constexpr int kTrials = 200;
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    const Numerical numerical = source("anisotropic", seed, 1);
    for (const double v : numerical.anisotropic_variance()) {
      inverse_mean += 1 / v / (kTrials * kContent);
    }
  }
  EXPECT_NEAR(inverse_mean, 2, 5 * std::sqrt(2.0 / (kTrials * kContent)));
}

std::vector<double> normals(size_t count, random::Sequence draws) {
  std::vector<double> out(count);
  for (double& value : out) value = draws.normal();
  return out;
}

TEST(Numerical, ComplexIsItsFormulaSampleBySample) {
  const Numerical numerical = source("complex");
  const Matrix& sigma = numerical.sigma();
  const Matrix root = cholesky(sigma);
  const auto w_mu = normals(25, random::Stream(1, "numerical/w_mu").at(0));
  const auto w_sigma = normals(25, random::Stream(1, "numerical/w_sigma").at(0));
  const auto b = normals(5, random::Stream(1, "numerical/b").at(0));
  const random::Stream stream(9, "test", 3);
  const Batch batch = numerical.pairs(stream, 300);
  for (size_t i = 0; i < 300; ++i) {
    const auto noise = normals(3 * kContent, stream.at(static_cast<uint32_t>(i)));
    random::Sequence chance = stream.named("chance").at(static_cast<uint32_t>(i));
    std::vector<double> kappa(kContent);
    for (size_t at = 0; at < 25; ++at) kappa[at / 5] += root.values[at] * noise[at % 5];
    for (size_t k = 0; k < kContent; ++k) {
      double mean = b[k];
      double spread = std::log(std::exp(1.0) - 1);
      for (size_t j = 0; j < kContent; ++j) {
        mean += w_mu[j * kContent + k] * kappa[j];
        spread += w_sigma[k * kContent + j] * kappa[j];
      }
      const double deviation = std::sqrt(std::log1p(std::exp(spread)));
      const double c = mean + deviation * noise[kContent + k];
      const double fresh = mean + deviation * noise[2 * kContent + k];
      const bool changes = chance.bernoulli(1 / (1 + std::exp(1 - kappa[k] / sigma(k, k))));
      EXPECT_NEAR(batch.factors.values[i * kContent + k], c, 1e-5);
      EXPECT_NEAR(batch.factors_plus.values[i * kContent + k], changes ? fresh : c, 1e-5);
    }
  }
}

TEST(Numerical, ComplexResamplesAboutAThirdOfTheContentAndKeepsTheRestExactly) {
  double changed = 0;
  constexpr int64_t kCount = 20000;
  constexpr int kTrials = 10;
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    const Batch batch = source("complex", seed, 1).pairs({9, "test"}, kCount);
    for (const float value : batch.change.values) changed += value != 0 ? 1 : 0;
  }
  changed /= kTrials * kCount * kContent;
  EXPECT_GT(changed, 0.25);  // E[sigmoid(N(0, 1 / Sigma_ii) - 1)] is 0.30 for Sigma_ii = 1, and
  EXPECT_LT(changed, 0.45);  // nears 0.5 where Sigma_ii is small
}

TEST(Numerical, InverseWishartHasTheIdentityAsMean) {
  // Entries have heavy tails; the inverse is Wishart with mean nu I = 7 I and light ones.
  Matrix mean(kContent, kContent);
  constexpr int kTrials = 400;
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    const Matrix precision = inverse(source("zero", seed, 1).sigma());
    for (size_t k = 0; k < mean.values.size(); ++k) mean.values[k] += precision.values[k] / kTrials;
  }
  for (size_t i = 0; i < kContent; ++i) {
    for (size_t j = 0; j < kContent; ++j) {
      EXPECT_NEAR(mean(i, j), i == j ? 7 : 0, 5 * std::sqrt((i == j ? 14.0 : 7.0) / kTrials));
    }
  }
}

TEST(Numerical, WishartHasFiveTimesTheIdentityAsMean) {
  Matrix mean(kContent, kContent);
  constexpr int kTrials = 400;
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    Numerical::Options options;
    options.covariance = "wishart";
    options.mixing.candidates = 1;
    const Matrix sigma = Numerical(options, seed).sigma();
    for (size_t k = 0; k < mean.values.size(); ++k) mean.values[k] += sigma.values[k] / kTrials;
  }
  for (size_t i = 0; i < kContent; ++i) {
    for (size_t j = 0; j < kContent; ++j) {  // variances: nu (1 + [i = j])
      EXPECT_NEAR(mean(i, j), i == j ? 5 : 0, 5 * std::sqrt((i == j ? 10.0 : 5.0) / kTrials));
    }
  }
}

TEST(Numerical, TheShiftedPopulationHasVarianceFiveInEveryLatent) {
  const Numerical numerical = source("complex");
  const Samples samples = numerical.samples("n5", {1, "test"}, 20000);
  double square = 0;
  for (const float value : samples.known.values) square += value * value;
  EXPECT_NEAR(square / static_cast<double>(samples.known.values.size()), 5,
              5 * 5 * std::sqrt(2.0 / 100000));
  double style = 0;
  for (size_t i = 0; i < 2000; ++i) {
    const auto z = unmix(numerical.mixing(), &samples.x.values[i * kWidth]);
    for (size_t k = kContent; k < kWidth; ++k) style += z[k] * z[k] / (2000 * 5);
  }
  EXPECT_NEAR(style, 5, 5 * 5 * std::sqrt(2.0 / 10000));
  EXPECT_EQ(testing::error_of([&] {
              numerical.samples("mars", {1, "test"}, 1);
            }),
            "[numerical] expected the population pz or n5, got 'mars'");
}

/// R2 of an affine map from x to the content on N(0, 5I), the paper's Identity row.
double identity_r2(const Numerical& numerical) {
  constexpr int64_t kCount = 20000;
  const auto augmented = [](const Samples& s, size_t i) {
    std::vector<double> row(&s.x.values[i * kWidth], &s.x.values[i * kWidth] + kWidth);
    row.push_back(1);
    return row;
  };
  const Samples train = numerical.samples("n5", {1, "train"}, kCount);
  const Samples test = numerical.samples("n5", {1, "test"}, kCount);
  Matrix gram(kWidth + 1, kWidth + 1);
  Matrix moments(kWidth + 1, kContent);
  for (size_t i = 0; i < kCount; ++i) {
    const auto row = augmented(train, i);
    for (size_t a = 0; a <= kWidth; ++a) {
      for (size_t b = 0; b <= kWidth; ++b) gram(a, b) += row[a] * row[b];
      for (size_t k = 0; k < kContent; ++k) {
        moments(a, k) += row[a] * train.known.values[i * kContent + k];
      }
    }
  }
  const Matrix weights = multiply(inverse(gram), moments);
  double mean_r2 = 0;
  for (size_t k = 0; k < kContent; ++k) {
    double mean = 0;
    for (size_t i = 0; i < kCount; ++i) mean += test.known.values[i * kContent + k] / kCount;
    double error = 0;
    double total = 0;
    for (size_t i = 0; i < kCount; ++i) {
      const auto row = augmented(test, i);
      double predicted = 0;
      for (size_t a = 0; a <= kWidth; ++a) predicted += row[a] * weights(a, k);
      const double truth = test.known.values[i * kContent + k];
      error += std::pow(truth - predicted, 2);
      total += std::pow(truth - mean, 2);
    }
    mean_r2 += (1 - error / total) / kContent;
  }
  return mean_r2;
}

TEST(Numerical, TheIdentityRowMeetsThePaperWithThreeActivationsOnly) {
  // The paper reports 0.510 +- 0.037 on N(0, 5I): the calibration of the mixing.
  double three = 0;
  double two = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    three += identity_r2(source("complex", seed, 25000)) / 10;
    two += identity_r2(source("complex", seed, 25000, 2)) / 10;
  }
  EXPECT_GT(three, 0.45);
  EXPECT_LT(three, 0.58);
  EXPECT_GT(two, 0.58);
  RecordProperty("identity_r2_n5", std::to_string(three));
  RecordProperty("identity_r2_n5_two_activations", std::to_string(two));
  std::cout << "identity R2 on N(0, 5I), mean of 10 trials: " << three << ", with two activations "
            << two << "\n";
}

}  // namespace
}  // namespace adassl::data
