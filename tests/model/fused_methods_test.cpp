#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/core/error.h"
#include "adassl/model/method.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

constexpr int64_t kBatch = 64, kObservation = 10, kChange = 5;

struct Step {
  double loss = 0;
  Tensor gradient;  // of all parameters, one after the other
};

Step step_of(const std::string& method_name, bool symmetric, const std::string& space,
             torch::ScalarType type, const nn::ComputePtr& compute) {
  Config config = Config::from_text(
      join("method = '", method_name, "'\nmodel.symmetric = ", symmetric ? "true" : "false",
           "\nmodel.space = '", space, "'\nencoder.hidden = [32, 32]\n"),
      "test");
  const auto method = make_method(config, {{kObservation}, kChange, 1, {}, compute});
  method->to(type);
  method->train();
  const auto drawn = [&](const char* purpose, int64_t columns) {
    return nn::normal(kBatch, columns, {1, purpose}, torch::empty({0})).to(type);
  };
  const Tensor x = drawn("x", kObservation);
  const auto other = [&](const char* purpose) { return x + 0.3 * drawn(purpose, kObservation); };
  const Views views{x, other("x_plus"), other("helper"), other("mirror"), drawn("change", kChange)};
  const Loss loss = method->forward(views, 500, {1, "noise"});
  loss.total.backward();
  Step out{loss.total.item<double>(), {}};
  std::vector<Tensor> parts;
  for (const Tensor& p : method->parameters()) {
    parts.push_back((p.grad().defined() ? p.grad() : torch::zeros_like(p)).reshape(-1));
  }
  out.gradient = torch::cat(parts);
  return out;
}

class FusedMethod : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, FusedMethod,
                         ::testing::Values("infonce", "aninfonce", "hinfonce-affine",
                                           "hinfonce-mlp", "adassl-v", "adassl-s", "adassl-gt",
                                           "liessl", "beta-vae", "adagvae"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

/// The gradient as a whole: see HasTheReferencesGradientAtTheFirstStep in tests/golden.
TEST_P(FusedMethod, HasTheLossAndTheGradientOfTheReferenceInDouble) {
  const nn::ComputePtr compute = nn::default_compute();
  for (const bool symmetric : {true, false}) {
    for (const char* space : {"hypersphere", "unbounded"}) {
      SCOPED_TRACE(join(symmetric ? "symmetric" : "one direction", ", ", space));
      const Step fused = step_of(GetParam(), symmetric, space, torch::kFloat32, compute);
      const Step exact = step_of(GetParam(), symmetric, space, torch::kFloat64, compute);
      EXPECT_NEAR(fused.loss, exact.loss, 1e-6 * exact.loss);
      EXPECT_LE((fused.gradient - exact.gradient).norm().item<double>(),
                1e-5 * exact.gradient.norm().item<double>());
    }
  }
  EXPECT_TRUE(compute->fallbacks.empty());
}

}  // namespace
}  // namespace adassl::model
