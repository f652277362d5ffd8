#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "contracts/parts.h"
#include "support/small_mnist.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

using study::Experiment;

/// Loss on one fixed batch after so many steps.
struct Descent {
  explicit Descent(Experiment& built)
      : experiment(built), state(*built.method, built.optimizer, built.computation) {}

  double step(int64_t number) {
    state.optimizer.zero_gradients();
    const auto loss = experiment.method->forward(model::views(batch), number, {1, "noise"});
    EXPECT_TRUE(loss.total.isfinite().item<bool>());
    loss.total.backward();
    state.optimizer.step(number, state.optimizer.gradient_norm());
    experiment.method->after_step(number, 40);
    return loss.total.item<double>();
  }
  double encoder_gradient() const {
    double sum = 0;
    for (const auto& p : experiment.method->encoder()->parameters()) {
      sum += p.grad().abs().sum().item<double>();
    }
    return sum;
  }

  Experiment& experiment;
  training::State state;
  Batch batch = experiment.source->pairs({1, "batch"}, kBatch);
};

using Combination = std::tuple<std::string, std::string, std::string, std::string>;
class EveryObjectiveWithEveryLatentEditorAndSimilarity
    : public ::testing::TestWithParam<Combination> {};

TEST_P(EveryObjectiveWithEveryLatentEditorAndSimilarity, LowersItsLossOnOneBatch) {
  const auto& [objective, latent, editor, similarity] = GetParam();
  for (const char* space : {"hypersphere", "unbounded"}) {
    const int64_t width = std::string(space) == "hypersphere" ? 11 : 10;
    std::vector<std::string> overrides = {"method=custom",
                                          "objective.kind=" + objective,
                                          "latent.kind=" + latent,
                                          "editor.kind=" + editor,
                                          std::string("model.space=") + space,
                                          "optimizer.learning_rate=0.002"};
    // Distillation has no similarity, and the other objective has that of a contrastive one: once
    // for all of them.
    if (objective != "contrastive" && similarity != names(model::similarities()).front()) return;
    if (objective == "distillation") {
      overrides.push_back("objective.hidden=[32]");
    } else {
      overrides.insert(overrides.end(), {"similarity.kind=" + similarity, "objective.tau=1.0"});
    }
    if (objective == "lie" && editor == "concat" && latent != "none") {
      EXPECT_THROW(study::build_experiment(small_config(overrides)), Error);
      continue;
    }
    if (latent == "variational" || latent == "sparse" || latent == "lie") {
      overrides.push_back("latent.dim=" + std::to_string(width));  // so that it can also be added
      overrides.push_back("latent.beta=0.01");
    }
    if (latent == "given") {
      // The true change has 5 entries: an additive editor needs an embedding as wide.
      if (editor == "additive") overrides.push_back("encoder.out=5");
    }
    Experiment experiment = study::build_experiment(small_config(overrides));
    Descent descent(experiment);
    const double first = descent.step(1);
    EXPECT_GT(descent.encoder_gradient(), 0);
    double last = first;
    for (int64_t step = 2; step <= 40; ++step) last = descent.step(step);
    EXPECT_LT(last, first) << space;
  }
}

INSTANTIATE_TEST_SUITE_P(Grid, EveryObjectiveWithEveryLatentEditorAndSimilarity,
                         ::testing::Combine(::testing::ValuesIn(names(model::objectives())),
                                            ::testing::ValuesIn(names(model::latents())),
                                            ::testing::ValuesIn(names(model::editors())),
                                            ::testing::ValuesIn(names(model::similarities()))),
                         [](const auto& param) {
                           return test_name(
                               std::get<0>(param.param) + "_" + std::get<1>(param.param) + "_" +
                               std::get<2>(param.param) + "_" + std::get<3>(param.param));
                         });

/// The terms of the first step by their names.
std::map<std::string, double> first_terms(const std::vector<std::string>& overrides) {
  const Experiment experiment = study::build_experiment(small_config(overrides));
  const Batch batch = experiment.source->pairs({1, "batch"}, kBatch);
  std::map<std::string, double> out;
  for (const auto& [metric, value] :
       experiment.method->forward(model::views(batch), 1, {1, "noise"}).terms) {
    EXPECT_FALSE(metric.label.empty()) << metric.name;
    out[metric.name] = value.item<double>();
  }
  return out;
}

TEST(LearnedWeights, StartAtOneAndAreLogged) {
  for (const char* method : {"infonce", "aninfonce", "adassl-v", "adassl-s"}) {
    EXPECT_NEAR(first_terms({std::string("method=") + method}).at("lambda"), 1, 1e-6) << method;
  }
  for (const char* method : {"hinfonce-affine", "hinfonce-mlp"}) {
    const auto terms = first_terms({std::string("method=") + method});
    EXPECT_NEAR(terms.at("lambda"), 1, 0.3) << method;  // the bias is drawn, up to +-0.3
    EXPECT_GT(terms.at("lambda_spread"), 0) << method;
    EXPECT_LT(terms.at("lambda_spread"), 0.5) << method;
  }
  EXPECT_NEAR(first_terms({"method=aninfonce"}).at("lambda_spread"), 0, 1e-6);
  EXPECT_FALSE(first_terms({"method=infonce"}).contains("lambda_spread"));
  EXPECT_FALSE(first_terms({"method=byol", "objective.hidden=[32]"}).contains("lambda"));
}

TEST(UseOfR, IsLoggedAtEveryStep) {
  const auto v = first_terms({"method=adassl-v"});
  EXPECT_FALSE(v.contains("gates_open"));
  EXPECT_GT(v.at("r_entropy"), 0);
  EXPECT_LE(v.at("r_entropy"), std::log(5.0) + 1e-6);
  const auto s = first_terms({"method=adassl-s"});
  EXPECT_GT(s.at("gates_open"), 0);
  EXPECT_LT(s.at("gates_open"), 5);
  EXPECT_LE(s.at("r_entropy"), std::log(5.0) + 1e-6);
  EXPECT_FALSE(first_terms({"method=infonce"}).contains("r_entropy"));
}

/// Methods that are no joint embeddings. The grid above covers the others.
TEST(Autoencoders, LowerTheirLossOnOneBatch) {
  for (const char* method : {"beta-vae", "adagvae"}) {
    Experiment experiment = study::build_experiment(
        small_config({std::string("method=") + method, "optimizer.learning_rate=0.002"}));
    Descent descent(experiment);
    const double first = descent.step(1);
    EXPECT_GT(descent.encoder_gradient(), 0);
    double last = first;
    for (int64_t step = 2; step <= 40; ++step) last = descent.step(step);
    EXPECT_LT(last, first) << method;
  }
}

class EveryMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, BuildsEvaluatesAndRoundTripsItsConfiguration) {
  const Experiment experiment = study::build_experiment(small_config({"method=" + GetParam()}));
  const Experiment again =
      study::build_experiment(Config::from_text(experiment.resolved, "resolved"));
  EXPECT_EQ(again.resolved, experiment.resolved);
  EXPECT_EQ(again.hash, experiment.hash);
  const evaluation::Frozen frozen(*experiment.method);
  evaluation::Results results;
  for (const auto& suite : experiment.evaluations) {
    ask(*suite, {*experiment.method, *experiment.source, 1}, results);
  }
  EXPECT_TRUE(results.metrics.contains("r2_pz"));
  EXPECT_TRUE(results.metrics.contains("rankme"));
  const model::Method& method = *experiment.method;
  EXPECT_EQ(results.metrics.contains("density_energy"),
            model::offers<const model::Imagines>(method) != nullptr);
  EXPECT_EQ(results.metrics.contains("objective"),
            model::offers<const model::InfersR>(method) != nullptr);
  // Only where r is absent or paid for in nats is anything bounded.
  const std::set<std::string> bounded = {"infonce",      "aninfonce", "hinfonce-affine",
                                         "hinfonce-mlp", "adassl-v",  "custom"};
  EXPECT_EQ(results.metrics.contains("mi_bound"), bounded.contains(GetParam()));
  EXPECT_EQ(results.metrics.contains("kl"), GetParam() == "adassl-v");
  EXPECT_EQ(results.metrics.contains("gates_open"), GetParam() == "adassl-s");
  for (const auto& [name, value] : results.metrics) {
    EXPECT_TRUE(std::isfinite(value)) << name;
    EXPECT_FALSE(results.descriptions.at(name).label.empty()) << name;
  }
}

TEST(Identity, ImaginesThatNothingChangesAndOffersNothingElse) {
  const Experiment experiment = study::build_experiment(small_config({"method=identity"}));
  model::Method& method = *experiment.method;
  EXPECT_EQ(model::offers<model::Predicts>(method), nullptr);
  EXPECT_EQ(model::offers<model::InfersR>(method), nullptr);
  EXPECT_EQ(model::offers<model::Reconstructs>(method), nullptr);
  auto* imagines = model::offers<model::Imagines>(method);
  ASSERT_NE(imagines, nullptr);
  const Tensor x = torch::linspace(-1, 1, 20, torch::kFloat32).view({4, 5});
  EXPECT_TRUE(torch::equal(imagines->imagine(x, {1, "noise"}), x));
}

TEST_P(EveryMethod, HasAConfigurationToStartFrom) {
  if (GetParam() == "custom") return;  // it is whatever a user makes of it
  const auto configs = std::filesystem::path(ADASSL_SOURCE_DIR) / "configs";
  int found = 0;
  for (const char* experiment : {"numerical-complex-", "video-a-", "teapots-"}) {
    const auto path = configs / (experiment + GetParam() + ".toml");
    if (!std::filesystem::exists(path)) continue;
    EXPECT_EQ(Config::from_file(path).read_text("method", "", ""), GetParam());
    ++found;
  }
  EXPECT_GT(found, 0);
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, ::testing::ValuesIn(names(model::methods())),
                         [](const auto& param) { return test_name(param.param); });

TEST(EveryConfiguration, Builds) {
  const TemporaryDirectory digits;
  write_small_mnist(digits.path());
  int count = 0;
  for (const auto& item :
       std::filesystem::directory_iterator(std::filesystem::path(ADASSL_SOURCE_DIR) / "configs")) {
    Config config = Config::from_file(item.path());
    for (const auto& assignment : cheap_data(item.path(), digits.path())) {
      config.override_with(assignment);
    }
    const Experiment experiment = study::build_experiment(config);
    const std::string name = item.path().filename().string();
    const bool own = name.starts_with("emoji") || name.starts_with("series") ||
                     name.starts_with("cifar-infonce") || name.starts_with("cifar-adassl");
    const size_t dimensions = experiment.source->shape().observation.size();
    const int64_t pictures = name.starts_with("celeba") ? 512 : 256;
    EXPECT_TRUE(own || experiment.loop.batch == (dimensions == 1   ? 2048
                                                 : dimensions == 3 ? pictures
                                                                   : 128))
        << item.path();
    ++count;
  }
  EXPECT_GE(count, 44);
}

TEST(Method, RefusesPartsThatContradictItsName) {
  EXPECT_THROW(
      {
        try {
          study::build_experiment(small_config({"method=infonce", "latent.kind=sparse"}));
        } catch (const Error& error) {
          EXPECT_STREQ(error.what(),
                       "[small] method infonce: expected latent.kind = \"none\", got \"sparse\"; "
                       "use method = \"custom\" to mix parts");
          throw;
        }
      },
      Error);
}

TEST(Method, ChoosesTheEmbeddingWidthFromTheSpace) {
  const auto width = [](const char* space) {
    const Experiment experiment = study::build_experiment(
        small_config({"method=infonce", std::string("model.space=") + space}));
    return experiment.method->embed(torch::zeros({2, 10})).size(1);
  };
  EXPECT_EQ(width("hypersphere"), 11);  // one more: normalising takes a degree of freedom
  EXPECT_EQ(width("unbounded"), 10);
}

}  // namespace
}  // namespace adassl::testing
