#include "adassl/model/objectives/contrastive.h"

#include <cmath>

#include <gtest/gtest.h>

#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

std::shared_ptr<Contrastive> objective(const Contrastive::Options& options, Config& config,
                                       int64_t width = 4, bool hypersphere = true) {
  return std::make_shared<Contrastive>(options,
                                       ObjectiveContext{width, width, hypersphere, &config});
}

TEST(Contrastive, IsLogNWhenAllEmbeddingsCoincide) {
  Config config = Config::from_text("", "test");
  const Tensor e = torch::ones({16, 4});
  const Direction direction{e, e, e};
  EXPECT_NEAR(objective({}, config)->loss(direction, {}).item<double>(), std::log(16), 1e-5);
  Contrastive::Options both;
  both.negatives = "both";
  EXPECT_NEAR(objective(both, config)->loss(direction, direction).item<double>(), std::log(31),
              1e-5);
}

TEST(Contrastive, NearsZeroWhenPairsAgreeAndOthersAreFar) {
  Config config = Config::from_text("", "test");
  const Tensor e = torch::eye(4);
  Contrastive::Options options;
  options.tau = 0.01;
  EXPECT_LT(objective(options, config)->loss({e, e, e}, {}).item<double>(), 1e-6);
}

TEST(Contrastive, CountsItsCandidates) {
  Config config = Config::from_text("", "test");
  Contrastive::Options both;
  both.negatives = "both";
  EXPECT_EQ(objective({}, config)->candidates(10), 10);
  EXPECT_EQ(objective(both, config)->candidates(10), 19);
}

TEST(Contrastive, DoesNotSeeTheLengthOfEmbeddingsOnTheHypersphere) {
  Config config = Config::from_text("", "test");
  const Tensor e = nn::normal(8, 4, {1, "e"}, torch::empty({0}));
  const Tensor y = nn::normal(8, 4, {1, "y"}, torch::empty({0}));
  const auto loss = [&](bool hypersphere, double scale) {
    return objective({}, config, 4, hypersphere)->loss({e, scale * e, y}, {}).item<double>();
  };
  EXPECT_NEAR(loss(true, 1), loss(true, 3), 1e-5);
  EXPECT_GT(std::abs(loss(false, 1) - loss(false, 3)), 1e-2);
}

TEST(Contrastive, DistanceIsTwiceTheCosineFormOnTheHypersphere) {
  // -|a - b|^2 = 2 cos - 2: the distance form at tau is the cosine form at tau / 2.
  Config config = Config::from_text("", "test");
  const Tensor e = nn::normal(8, 4, {1, "e"}, torch::empty({0}));
  const Tensor y = nn::normal(8, 4, {1, "y"}, torch::empty({0}));
  Contrastive::Options distance;
  distance.tau = 0.2;
  Contrastive::Options cosine;
  cosine.form = "cosine";
  cosine.tau = 0.1;
  EXPECT_NEAR(objective(distance, config)->loss({e, e, y}, {}).item<double>(),
              objective(cosine, config)->loss({e, e, y}, {}).item<double>(), 1e-5);
}

TEST(SoftmaxCrossEntropy, SurvivesHugeLogits) {
  const Tensor logits = torch::tensor({{1e4, -1e4}, {3e4, 1e4}}).requires_grad_();
  const Tensor loss = softmax_cross_entropy(logits, {});
  EXPECT_NEAR(loss.item<double>(), 1e4, 1);
  loss.backward();
  EXPECT_TRUE(logits.grad().isfinite().all().item<bool>());
}

}  // namespace
}  // namespace adassl::model
