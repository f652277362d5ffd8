#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/methods/adagvae.h"
#include "adassl/nn/tensors.h"
#include "support/error_message.h"

namespace adassl::model {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

constexpr int64_t kRows = 6, kDim = 4;

Tensor draw(int64_t columns, const std::string& purpose) {
  return nn::normal(kRows, columns, {3, purpose}, torch::zeros({}, torch::kFloat64));
}

Gaussian posterior(const std::string& purpose) {
  return {draw(kDim, purpose), draw(kDim, purpose + " variance")};
}

// ---- formulas

TEST(KlFromStandard, IsTheGeneralDivergenceAndZeroForThePriorItself) {
  const Gaussian q = posterior("q");
  const Tensor zero = torch::zeros_like(q.mean);
  EXPECT_TRUE(kl_from_standard(q).allclose(kl_divergence(q, {zero, zero})));
  EXPECT_EQ(kl_from_standard({zero, zero}).abs().max().item<double>(), 0);
}

TEST(Likelihood, SumsOverAllNumbersOfAnObservation) {
  const Tensor x = torch::full({2, 3, 4, 4}, 0.25, torch::kFloat64);
  const Tensor undecided = bernoulli_loss(torch::zeros_like(x), x);
  EXPECT_TRUE(undecided.allclose(torch::full({2}, 48 * std::log(2.0), torch::kFloat64)));
  // The best logit of a pixel is that of its brightness; what remains is the entropy.
  const Tensor best = bernoulli_loss(torch::full_like(x, std::log(1.0 / 3)), x);
  const double entropy = -(0.25 * std::log(0.25) + 0.75 * std::log(0.75));
  EXPECT_TRUE(best.allclose(torch::full({2}, 48 * entropy, torch::kFloat64)));
  EXPECT_TRUE(gaussian_loss(x + 0.5, x).allclose(torch::full({2}, 6.0, torch::kFloat64)));
}

TEST(ChangeOfLatents, IsTwiceTheDivergenceOfTheFirstFromTheSecond) {
  const Gaussian one = posterior("one");
  const Gaussian other = posterior("other");
  EXPECT_TRUE(change_of_latents(one, other).allclose(2 * kl_divergence(one, other)));
  EXPECT_FALSE(change_of_latents(other, one).allclose(2 * kl_divergence(one, other)));
}

TEST(ChangedLatents, AreThoseInTheUpperHalfOfTheInterval) {
  const Tensor delta = torch::tensor({{0.0, 4.0, 8.0, 3.9}, {1.0, 1.0, 1.0, 1.0}}, torch::kFloat64);
  const Tensor expected = torch::tensor({{0, 1, 1, 0}, {1, 1, 1, 1}}).to(torch::kBool);
  EXPECT_TRUE(changed_latents(delta).equal(expected));
}

TEST(SharedPosteriors, AverageMeansAndVariancesOfWhatHasNotChanged) {
  Gaussian one = posterior("one");
  Gaussian other = {one.mean.clone(), one.log_variance.clone()};
  other.mean.select(1, 2) += 5;    // changes most
  other.mean.select(1, 0) += 0.1;  // hardly
  other.log_variance.select(1, 0) -= 0.1;
  const SharedPosteriors shared = share_unchanged(one, other);
  const Tensor expected = torch::tensor({0, 0, 1, 0}).to(torch::kBool).expand({kRows, kDim});
  EXPECT_TRUE(shared.changed.equal(expected));
  EXPECT_TRUE(shared.one.mean.select(1, 2).equal(one.mean.select(1, 2)));
  EXPECT_TRUE(shared.other.mean.select(1, 2).equal(other.mean.select(1, 2)));
  EXPECT_TRUE(shared.one.mean.select(1, 0).allclose(one.mean.select(1, 0) + 0.05));
  const auto variance = [](const Gaussian& of) { return of.log_variance.select(1, 0).exp(); };
  EXPECT_TRUE(variance(shared.one).allclose((variance(one) + variance(other)) / 2));
  for (const int64_t same : {0, 1, 3}) {
    EXPECT_TRUE(shared.one.mean.select(1, same).equal(shared.other.mean.select(1, same)));
    EXPECT_TRUE(
        shared.one.log_variance.select(1, same).equal(shared.other.log_variance.select(1, same)));
  }
}

TEST(SharedPosteriors, SendGradientsThroughTheMeansOnly) {
  Gaussian one = posterior("one");
  Gaussian other = posterior("other");
  for (Tensor* leaf : {&one.mean, &one.log_variance, &other.mean, &other.log_variance}) {
    leaf->requires_grad_();
  }
  const SharedPosteriors shared = share_unchanged(one, other);
  shared.one.mean.sum().backward();
  const Tensor own = shared.changed.to(torch::kFloat64);
  EXPECT_TRUE(one.mean.grad().allclose(own + (1 - own) / 2));
  EXPECT_TRUE(other.mean.grad().allclose((1 - own) / 2));
  EXPECT_FALSE(one.log_variance.grad().defined() &&
               one.log_variance.grad().abs().max().item<double>() > 0);
}

// ---- whole methods

std::shared_ptr<Method> method_of(const std::string& toml,
                                  const std::vector<int64_t>& observation) {
  Config config = Config::from_text(toml, "test");
  auto out = make_method(config, {.observation = observation, .seed = 1});
  config.require_all_read();
  return out;
}

const char* const kImages =
    "encoder.kind = 'resnet'\nencoder.width = 8\nencoder.out = 0\nmodel.dim = 4\n";

Tensor bytes(int64_t rows, int64_t height, int64_t width) {
  return nn::uniform(rows, 3 * height * width, {1, "images"}, torch::empty({0}))
      .mul(255)
      .to(torch::kUInt8)
      .view({rows, 3, height, width});
}

class EveryVae : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Model, EveryVae, ::testing::Values("beta-vae", "adagvae"),
                         [](const auto& test) {
                           return test.param == "adagvae" ? "adagvae" : "beta_vae";
                         });

TEST_P(EveryVae, EncodesAndDecodesImagesOfAnySize) {
  for (const char* stem : {"small", "large"}) {
    const auto method =
        method_of(join("method = '", GetParam(), "'\n", kImages, "encoder.stem = '", stem, "'\n"),
                  {3, 33, 40});
    method->train();
    const Loss loss =
        method->forward({bytes(4, 33, 40), bytes(4, 33, 40).flip(0), {}, {}, {}}, 1, {1, "noise"});
    loss.total.backward();
    for (const auto& item : method->named_parameters()) {
      ASSERT_TRUE(item.value().grad().defined()) << item.key();
      EXPECT_TRUE(item.value().grad().isfinite().all().item<bool>()) << item.key();
    }
    const torch::NoGradGuard no_grad;
    method->eval();
    const Tensor e = method->embed(bytes(4, 33, 40));
    EXPECT_EQ(e.sizes(), (std::vector<int64_t>{4, 4}));
    const Tensor x = offers<Reconstructs>(*method)->decode(e);
    EXPECT_EQ(x.sizes(), (std::vector<int64_t>{4, 3, 33, 40}));
    EXPECT_GE(x.min().item<double>(), 0);
    EXPECT_LE(x.max().item<double>(), 1);
    EXPECT_EQ(method->represent(bytes(4, 33, 40)).size(1), 64);
    EXPECT_GT(method->bytes(4), 0);
  }
}

TEST_P(EveryVae, OffersReconstructionAndNothingThatItCannotDo) {
  const auto method = method_of("method = '" + GetParam() + "'", {10});
  EXPECT_NE(offers<Reconstructs>(*method), nullptr);
  EXPECT_EQ(offers<Predicts>(*method), nullptr);
  EXPECT_EQ(offers<InfersR>(*method), nullptr);
}

TEST_P(EveryVae, RefusesWhatItCannotModel) {
  const std::string name = "method = '" + GetParam() + "'\n";
  EXPECT_EQ(error_of([&] { method_of(name + "model.likelihood = 'bernoulli'", {10}); }),
            "[model] likelihood: expected gaussian for observations of 1 dimensions, since "
            "bernoulli is meant for the pixels of images, got bernoulli");
  EXPECT_THAT(error_of([&] {
                method_of(name + "encoder.kind = 'video_cnn'", {1, 3, 16, 16});
              }),
              HasSubstr("[encoder] expected an encoder that a decoder can mirror"));
  EXPECT_THAT(error_of([&] {
                method_of(name + kImages + "encoder.depth = 50", {3, 32, 32});
              }),
              HasSubstr("[encoder] depth: expected 18"));
  const auto method = method_of(name + kImages, {3, 16, 16});
  const Tensor x = torch::full({4, 3, 16, 16}, 1.5F);
  EXPECT_EQ(error_of([&] {
              method->forward({x, x, {}, {}, {}}, 1, {1, "noise"});
            }),
            "[model] likelihood: bernoulli expects pixels in [0, 1], got 1.5 to 1.5");
}

TEST(BetaVae, LearnsFromXAlone) {
  const auto method = method_of("method = 'beta-vae'", {10});
  const Tensor x = draw(10, "x").to(torch::kFloat32);
  const auto loss = [&](const Views& views) {
    return method->forward(views, 1, {1, "noise"}).total.item<double>();
  };
  EXPECT_EQ(loss({x, x + 1, {}, {}, {}}), loss({x, {}, {}, {}, {}}));
}

TEST(BetaVae, WeighsTheDivergence) {
  const auto loss = [](const std::string& beta) {
    const auto method = method_of("method = 'beta-vae'\nmodel.beta = " + beta, {10});
    const Tensor x = draw(10, "x").to(torch::kFloat32);
    return method->forward({x, {}, {}, {}, {}}, 1, {1, "noise"});
  };
  const Loss one = loss("1.0");
  const Loss sixteen = loss("16.0");
  const double kl = one.terms[1].second.item<double>();
  EXPECT_NEAR(sixteen.total.item<double>() - one.total.item<double>(), 15 * kl, 1e-4 * kl);
  EXPECT_NEAR(one.total.item<double>(), one.terms[0].second.item<double>() + kl, 1e-5);
}

TEST(AdaGvae, IsABetaVaeOfBothHalvesWhenTheyAreEqual) {
  const std::string toml = "model.likelihood = 'gaussian'\n";
  const auto pairs = method_of("method = 'adagvae'\n" + toml, {10});
  const auto single = method_of("method = 'beta-vae'\n" + toml, {10});
  const Tensor x = draw(10, "x").to(torch::kFloat32);
  const auto kl = [&](const std::shared_ptr<Method>& method) {
    return method->forward({x, x, {}, {}, {}}, 1, {1, "noise"}).terms[1].second.item<double>();
  };
  EXPECT_NEAR(kl(pairs), kl(single), 1e-5);
}

}  // namespace
}  // namespace adassl::model
