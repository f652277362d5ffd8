#include "adassl/data/numerical.h"

#include <cmath>

#include <gtest/gtest.h>

#include "adassl/core/small_matrix.h"
#include "adassl/kernels/simd.h"
#include "data/numerical_source.h"
#include "support/error_message.h"

namespace adassl::data {
namespace {

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

}  // namespace
}  // namespace adassl::data
