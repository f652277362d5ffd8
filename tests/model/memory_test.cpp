#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/method.h"
#include "adassl/nn/tensors.h"
#include "support/tensor_memory.h"

/// The estimate of the memory that a training step needs.
namespace adassl::model {
namespace {

constexpr int64_t kWider = 1000;

std::shared_ptr<Method> method_of(const std::vector<std::string>& settings) {
  Config config = Config::from_text("encoder.hidden = [8]\nencoder.out = 6\n", "test");
  for (const std::string& assignment : settings) config.override_with(assignment);
  return make_method(config, {.observation = {10}, .change = 3, .seed = 1});
}

/// What each further pair needs.
double bytes_of_a_pair(const Method& method) {
  return (method.bytes(2000) - method.bytes(1000)) / 1000;
}

/// How much more a pair needs if the networks of one part have a hidden layer that is wider.
double growth(std::vector<std::string> settings, const std::string& hidden) {
  settings.push_back(hidden + "=[8]");
  const double before = bytes_of_a_pair(*method_of(settings));
  settings.back() = hidden + "=[" + std::to_string(8 + kWider) + "]";
  return bytes_of_a_pair(*method_of(settings)) - before;
}

/// A hidden layer of a perceptron keeps its sums and its activations, for both directions of a
/// pair.
constexpr double kOfOneNetwork = 2.0 * 2 * kWider * sizeof(float);

TEST(MemoryEstimate, CountsTheNetworksOfTheLatent) {
  // Prior and posterior.
  EXPECT_GE(growth({"method=adassl-v"}, "latent.hidden"), 2 * kOfOneNetwork);
  EXPECT_GE(growth({"method=adassl-s"}, "latent.hidden"), kOfOneNetwork);
}

TEST(MemoryEstimate, CountsTheEditor) {
  EXPECT_GE(growth({"method=adassl-v", "editor.kind=mlp"}, "editor.hidden"), kOfOneNetwork);
}

TEST(MemoryEstimate, CountsThePredictorOnce) {
  for (const auto& [method, hidden] :
       {std::pair{"byol", "objective.hidden"}, {"infonce", "objective.predictor_hidden"}}) {
    std::vector<std::string> settings = {std::string("method=") + method};
    if (settings[0] == "method=infonce") settings.emplace_back("objective.predictor=true");
    const double more = growth(settings, hidden);
    EXPECT_GE(more, kOfOneNetwork) << method;
    EXPECT_LT(more, 2 * kOfOneNetwork) << method;
  }
}

TEST(MemoryEstimate, CountsTheGeneratorsOfALieGroup) {
  const auto bytes = [](int64_t generators) {
    return bytes_of_a_pair(
        *method_of({"method=liessl", "latent.dim=" + std::to_string(generators)}));
  };
  EXPECT_GE(bytes(101) - bytes(1), 100 * 6 * 14 * sizeof(float)) << "14 terms of [K, d] each";
}

/// Gradients, two moments and factors of weight decay belong to trained parameters alone.
TEST(MemoryEstimate, CountsATargetNetworkByItsValues) {
  const auto method = method_of({"method=byol", "encoder.hidden=[2000, 2000]"});
  double trained = 0;
  double following = 0;
  for (const Tensor& p : method->parameters()) {
    (p.requires_grad() ? trained : following) += static_cast<double>(p.numel());
  }
  ASSERT_GT(following, 4e6);
  EXPECT_NEAR(2 * method->bytes(1000) - method->bytes(2000), 4 * (5 * trained + following), 1);
}

// ---- against the memory of tensors

/// By LibTorch's operations, where all memory is that of tensors.
TEST(MemoryEstimate, IsNearWhatAStepTakes) {
  constexpr int64_t kBatch = 128;  // small beside the widths: networks, not the loss, decide
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"method=infonce"},
        {"method=adassl-v", "latent.hidden=[1000, 1000]"},
        {"method=adassl-s", "latent.hidden=[1000, 1000]", "editor.kind=mlp",
         "editor.hidden=[1000]"},
        {"method=byol", "objective.hidden=[1000]"}}) {
    const testing::TensorMemory memory;
    Config config = Config::from_text("encoder.hidden = [800, 800]\nencoder.out = 32\n", "test");
    for (const std::string& assignment : settings) config.override_with(assignment);
    const auto method = make_method(
        config, {.observation = {40}, .change = 3, .seed = 1, .compute = nn::reference_compute()});
    method->train();
    const auto drawn = [&](const char* what) {
      return nn::normal(kBatch, 40, {1, what}, torch::empty({0}));
    };
    const Views views{drawn("x"), drawn("x_plus"), drawn("helper"), drawn("mirror"), {}};
    const auto of_views = static_cast<double>(4 * kBatch * 40 * sizeof(float));
    method->forward(views, 1, {1, "noise"}).total.backward();
    double of_optimiser = 0;  // which is not here
    for (const Tensor& p : method->parameters()) {
      if (p.requires_grad()) of_optimiser += static_cast<double>(3 * p.numel() * sizeof(float));
    }
    const double measured = static_cast<double>(memory.peak()) - of_views + of_optimiser;
    EXPECT_NEAR(method->bytes(kBatch) / measured, 1, 0.15) << settings[0];
  }
}

}  // namespace
}  // namespace adassl::model
