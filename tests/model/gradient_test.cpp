#include <cmath>

#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/editor.h"
#include "adassl/model/gaussian.h"
#include "adassl/model/latents/variational.h"
#include "adassl/model/method.h"
#include "adassl/model/methods/adagvae.h"
#include "adassl/model/objective.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/layers.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

constexpr uint64_t kSeed = 8;
constexpr int64_t kBatch = 6;
constexpr int64_t kEmbedding = 4;

Tensor draw(int64_t columns, const std::string& purpose) {
  return nn::normal(kBatch, columns, {kSeed, purpose}, torch::zeros({}, torch::kFloat64));
}

/// Central differences of `loss` against its gradient, at up to three entries of each leaf.
template <class Function>
void expect_gradient(Function loss, std::vector<std::pair<std::string, Tensor>> leaves) {
  constexpr double kHalfStep = 1e-5;
  for (auto& [name, leaf] : leaves) leaf.mutable_grad().reset();
  loss().backward();
  for (auto& [name, leaf] : leaves) {
    const torch::NoGradGuard no_grad;
    const Tensor flat = leaf.view(-1);
    const Tensor gradient = leaf.grad().reshape(-1);
    for (const int64_t place : {int64_t{0}, flat.numel() / 2, flat.numel() - 1}) {
      const auto value = flat[place].item<double>();
      flat[place].fill_(value + kHalfStep);
      const auto above = loss().template item<double>();
      flat[place].fill_(value - kHalfStep);
      const auto below = loss().template item<double>();
      flat[place].fill_(value);
      const auto ours = gradient[place].item<double>();
      EXPECT_NEAR((above - below) / (2 * kHalfStep), ours, 1e-7 + 1e-6 * std::abs(ours))
          << name << " at " << place;
    }
  }
}

std::vector<std::pair<std::string, Tensor>> leaves_of(const torch::nn::Module& module) {
  std::vector<std::pair<std::string, Tensor>> out;
  for (const auto& item : module.named_parameters()) out.emplace_back(item.key(), item.value());
  return out;
}

/// The whole loss of a method; gates have no derivative to compare, and are held to PyTorch alone.
void expect_gradient_of(const std::string& toml) {
  SCOPED_TRACE(toml);
  Config config = Config::from_text(toml + "\nencoder.hidden = [7, 6]\n", "test");
  const auto method = make_method(config, {{5}, 2, kSeed});
  method->to(torch::kFloat64);
  method->train();
  const Views views{draw(5, "x"), draw(5, "x_plus"), draw(5, "helper"), draw(5, "mirror"),
                    draw(2, "change")};
  auto leaves = leaves_of(*method);
  std::erase_if(leaves, [](const auto& leaf) { return !leaf.second.requires_grad(); });  // targets
  expect_gradient([&] { return method->forward(views, 300, {kSeed, "noise"}).total; }, leaves);
}

TEST(Gradient, OfWholeLossesIsThatOfDifferences) {
  expect_gradient_of("method = 'adassl-v'\nlatent.hidden = [6]\nlatent.dim = 3");
  expect_gradient_of("method = 'hinfonce-mlp'\nsimilarity.hidden = [6]");
  for (const std::string method : {"byol", "byol-future", "byol-gt"}) {
    expect_gradient_of("method = '" + method + "'\nobjective.hidden = [6]");
  }
  // What the video tables train.
  expect_gradient_of(
      "method = 'adassl-v'\nobjective.kind = 'distillation'\nobjective.hidden = [6]\n"
      "latent.hidden = [6]\nlatent.dim = 3");
  expect_gradient_of("method = 'adassl-gt'");
  expect_gradient_of("method = 'liessl'\nlatent.hidden = [6]\nlatent.dim = 3");
  expect_gradient_of("method = 'beta-vae'\nmodel.dim = 3\nmodel.beta = 2.0");
  expect_gradient_of("method = 'adagvae'\nmodel.dim = 3\nmodel.beta = 2.0");
}

TEST(Gradient, ThroughEveryEditorIsThatOfDifferences) {
  for (const std::string& editor : names(editors())) {
    if (editor == "none") continue;
    expect_gradient_of(
        "method = 'custom'\nlatent.kind = 'variational'\nlatent.hidden = [6]\n"
        "latent.dim = 4\nencoder.out = 4\nobjective.predictor_hidden = [6]\neditor.kind = '" +
        editor + "'");
  }
}

class EverySimilarity : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Model, EverySimilarity, ::testing::ValuesIn(names(similarities())),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(EverySimilarity, ContrastiveLossHasTheGradientOfDifferences) {
  for (const std::string form : {"distance", "cosine"}) {
    for (const std::string negatives : {"targets", "both"}) {
      SCOPED_TRACE(join(form, ", ", negatives));
      Config config =
          Config::from_text(join("similarity.kind = '", GetParam(), "'\nobjective.form = '", form,
                                 "'\nobjective.negatives = '", negatives,
                                 "'\nobjective.tau = 0.5\nobjective.predictor = true\n"
                                 "objective.predictor_hidden = [6]\n"),
                            "test");
      if (GetParam() == "heteroscedastic-mlp") config.override_with("similarity.hidden=[6]");
      const auto objective = make_part(objectives(), config, "objective", "contrastive",
                                       ObjectiveContext{kEmbedding, kEmbedding, true, &config});
      nn::initialise(*objective, kSeed);
      objective->to(torch::kFloat64);
      auto leaves = leaves_of(*objective);
      for (const std::string name : {"e_x", "e_y", "y_hat", "x_hat"}) {
        leaves.emplace_back(name, draw(kEmbedding, name).requires_grad_());
      }
      const size_t first = leaves.size() - 4;
      const auto input = [&](size_t i) { return leaves[first + i].second; };
      expect_gradient(
          [&] {
            return objective->loss({input(0), input(2), input(1)},
                                   Direction{input(1), input(3), input(0)});
          },
          leaves);
    }
  }
}

TEST(Gradient, OfSharedPosteriorsIsThatOfDifferences) {
  const Gaussian one{draw(3, "m1").requires_grad_(), draw(3, "v1").requires_grad_()};
  const Gaussian other{draw(3, "m2").requires_grad_(), draw(3, "v2").requires_grad_()};
  const Tensor weights = draw(12, "weights");
  const auto loss = [&] {
    const SharedPosteriors shared = share_unchanged(one, other);
    const Tensor all = torch::cat(
        {shared.one.mean, shared.one.log_variance, shared.other.mean, shared.other.log_variance},
        1);
    return (all * weights).sum() + kl_from_standard(shared.one).sum();
  };
  expect_gradient(
      loss,
      {{"m1", one.mean}, {"v1", one.log_variance}, {"m2", other.mean}, {"v2", other.log_variance}});
}

TEST(Gradient, OfLikelihoodsIsThatOfDifferences) {
  const Tensor y = draw(5, "y").requires_grad_();
  const Tensor x = draw(5, "x").sigmoid();
  expect_gradient([&] { return bernoulli_loss(y, x).sum(); }, {{"y", y}});
  expect_gradient([&] { return gaussian_loss(y, x).sum(); }, {{"y", y}});
}

TEST(Gradient, OfTheDivergenceIsThatOfDifferences) {
  const Tensor q = draw(6, "q").requires_grad_();
  const Tensor p = draw(6, "p").requires_grad_();
  const Tensor weights = draw(3, "weights");
  expect_gradient([&] { return (kl_divergence(gaussian(q), gaussian(p)) * weights).sum(); },
                  {{"q", q}, {"p", p}});
}

}  // namespace
}  // namespace adassl::model
