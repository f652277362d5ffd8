#include "adassl/nn/layers.h"

#include <cmath>

#include <gtest/gtest.h>

#include "adassl/nn/mlp.h"
#include "adassl/nn/tensors.h"

namespace adassl::nn {
namespace {

std::shared_ptr<Mlp> small_mlp(uint64_t seed) {
  auto mlp = std::make_shared<Mlp>(MlpShape{.in = 4, .hidden = {8, 8}, .out = 3, .norm = true});
  initialise(*mlp, seed);
  return mlp;
}

TEST(Initialise, IsAPureFunctionOfTheSeed) {
  const auto a = small_mlp(1);
  const auto b = small_mlp(1);
  const auto c = small_mlp(2);
  EXPECT_TRUE(torch::equal(a->parameters()[0], b->parameters()[0]));
  EXPECT_FALSE(torch::equal(a->parameters()[0], c->parameters()[0]));
}

TEST(Initialise, GivesLayersOfEqualShapeDifferentWeights) {
  const auto mlp = std::make_shared<Mlp>(MlpShape{.in = 8, .hidden = {8, 8}, .out = 8});
  initialise(*mlp, 1);
  const auto parameters = mlp->named_parameters();
  EXPECT_FALSE(torch::equal(parameters["linear0.weight"], parameters["linear1.weight"]));
}

TEST(Initialise, KeepsTheBoundsOfEachScheme) {
  const auto bound_of = [](Init init) {
    auto linear = std::make_shared<Linear>(100, 50, true, init);
    initialise(*linear, 1);
    return std::pair(linear->weight.abs().max().item<double>(),
                     linear->bias.abs().max().item<double>());
  };
  const auto [weight, bias] = bound_of(Init::kDefault);
  EXPECT_LE(weight, 0.1);
  EXPECT_GT(weight, 0.099);  // 5,000 draws come near the bound 1 / sqrt(100)
  EXPECT_LE(bias, 0.1);
  EXPECT_GT(bias, 0.08);
  const auto [stable_weight, stable_bias] = bound_of(Init::kStabilised);
  EXPECT_NEAR(stable_weight, std::sqrt(2.0) * std::sqrt(6.0 / 150), 0.003);
  EXPECT_EQ(stable_bias, 0);
  EXPECT_EQ(bound_of(Init::kZero).first, 0);
}

TEST(Mlp, HasNoBiasBeforeBatchNormAndABareLastLayer) {
  const auto mlp = small_mlp(1);
  std::vector<std::string> names;
  for (const auto& item : mlp->named_parameters()) names.push_back(item.key());
  EXPECT_EQ(names, (std::vector<std::string>{"linear0.weight", "norm0.weight", "norm0.bias",
                                             "linear1.weight", "norm1.weight", "norm1.bias",
                                             "linear2.weight", "linear2.bias"}));
}

TEST(BatchNorm, UsesBatchStatisticsInTrainingAndRunningOnesAfter) {
  auto norm = std::make_shared<BatchNorm>(3);
  const Tensor x = normal(64, 3, {1, "x"}, torch::empty({0})) * 5 + 2;
  const Tensor y = norm->forward(x);
  EXPECT_LT(y.mean(0).abs().max().item<double>(), 1e-5);
  EXPECT_TRUE(torch::allclose(norm->running_mean, 0.1 * x.mean(0), 1e-4, 1e-5));
  norm->eval();
  EXPECT_FALSE(torch::allclose(norm->forward(x), y));
}

TEST(Tensors, NoiseIsTheStreamsOwnDraws) {
  const random::Stream stream(3, "noise");
  const Tensor noise = normal(5, 4, stream, torch::empty({0}, torch::kFloat64));
  EXPECT_EQ(noise.scalar_type(), torch::kFloat64);
  for (int64_t i = 0; i < 5; ++i) {
    auto draws = stream.at(static_cast<uint32_t>(i));
    for (int64_t j = 0; j < 4; ++j) {
      EXPECT_EQ(noise[i][j].item<double>(), static_cast<float>(draws.normal()));
    }
  }
}

TEST(Tensors, NormaliseGivesRowsOfLengthOneAndLeavesZeroAlone) {
  const Tensor rows = torch::tensor({{3.0, 4.0}, {0.0, 0.0}});
  EXPECT_TRUE(torch::allclose(normalise(rows), torch::tensor({{0.6, 0.8}, {0.0, 0.0}})));
}

TEST(Tensors, AnEmptyArrayIsAnUndefinedTensor) { EXPECT_FALSE(view(Array{}).defined()); }

}  // namespace
}  // namespace adassl::nn
