#include <gtest/gtest.h>

#include "adassl/model/methods/adagvae.h"
#include "golden/golden_file.h"

/// The formulas of the autoencoders; model_test.cpp compares whole ones.
namespace adassl::testing {
namespace {

class VaeOfEachType : public ::testing::TestWithParam<torch::ScalarType> {
 protected:
  torch::ScalarType type_ = GetParam();
  double tolerance_ = tolerance_of(type_);
};

INSTANTIATE_TEST_SUITE_P(Golden, VaeOfEachType, ::testing::Values(torch::kFloat64, torch::kFloat32),
                         [](const auto& test) { return name_of(test.param); });

TEST_P(VaeOfEachType, LikelihoodsMatchPyTorch) {
  const GoldenFile file("likelihoods", type_);
  using Loss = Tensor (*)(const Tensor&, const Tensor&);
  for (const auto& [of_case, loss_of] :
       {std::pair<std::string, Loss>{"bernoulli", model::bernoulli_loss},
        std::pair<std::string, Loss>{"gaussian", model::gaussian_loss}}) {
    SCOPED_TRACE(of_case);
    const Tensor y = file.leaf("input/y");
    const Tensor loss = loss_of(y, file.at("input/x"));
    (loss * file.at("cotangent")).sum().backward();
    EXPECT_TRUE(close(loss, file.at(of_case + "/value/loss"), tolerance_));
    expect_input_gradients({{"y", y}}, file, of_case, tolerance_);
  }
}

TEST_P(VaeOfEachType, SharedPosteriorsMatchPyTorch) {
  const GoldenFile file("adagvae", type_);
  const model::Gaussian one{file.leaf("input/m1"), file.leaf("input/lv1")};
  const model::Gaussian other{file.leaf("input/m2"), file.leaf("input/lv2")};
  EXPECT_TRUE(close(model::change_of_latents(one, other), file.at("value/delta"), tolerance_));
  const model::SharedPosteriors shared = model::share_unchanged(one, other);
  EXPECT_TRUE(shared.changed.to(type_).equal(file.at("value/changed")));
  const Named values = {{"m1", shared.one.mean},
                        {"lv1", shared.one.log_variance},
                        {"m2", shared.other.mean},
                        {"lv2", shared.other.log_variance},
                        {"kl", model::kl_from_standard(shared.one)}};
  Tensor loss = torch::zeros({}, type_);
  for (const auto& [name, value] : values) {
    EXPECT_TRUE(close(value, file.at("value/" + name), tolerance_)) << name;
    loss = loss + (value * file.at("cotangent/" + name)).sum();
  }
  loss.backward();
  expect_input_gradients({{"m1", one.mean},
                          {"lv1", one.log_variance},
                          {"m2", other.mean},
                          {"lv2", other.log_variance}},
                         file, "share", tolerance_);
}

}  // namespace
}  // namespace adassl::testing
