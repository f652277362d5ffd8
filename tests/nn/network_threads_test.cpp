#include <gtest/gtest.h>

#include "adassl/nn/built_network.h"
#include "adassl/nn/resnet.h"
#include "adassl/nn/tensors.h"

/// Whole convolutional networks, in both precisions: values, gradients and running statistics have
/// the same bits for any number of threads. (tests/training/threads_test.cpp trains the video
/// encoder likewise.)
namespace adassl::nn {
namespace {

constexpr int64_t kImages = 24;

struct Case {
  const char* name;
  ResNetShape shape;
  int64_t pixels;
  Precision precision;
};

const Case kCases[] = {
    {"depth18_small", {18, 16, Stem::kSmall}, 32, Precision::kFloat32},
    {"depth18_small_bf16", {18, 16, Stem::kSmall}, 32, Precision::kBfloat16},
    {"depth18_large", {18, 16, Stem::kLarge}, 80, Precision::kFloat32},
    {"depth18_torchvision", {18, 16, Stem::kTorchvision}, 72, Precision::kFloat32},
    {"depth18_torchvision_bf16", {18, 16, Stem::kTorchvision}, 72, Precision::kBfloat16},
    {"depth50_torchvision", {50, 16, Stem::kTorchvision}, 64, Precision::kFloat32},
    {"depth50_torchvision_bf16", {50, 16, Stem::kTorchvision}, 64, Precision::kBfloat16},
};

/// The result, the gradients of the parameters, and the buffers.
std::vector<std::pair<std::string, Tensor>> outcome(const Case& of, int threads) {
  const auto compute =
      std::make_shared<Compute>(Compute{.precision = of.precision, .threads = threads});
  const auto root = std::make_shared<torch::nn::Module>("root");
  const BuiltNetwork network(*root, resnet(of.shape), {3, {1, of.pixels, of.pixels}}, compute);
  initialise(*root, 1);
  use_threads(*compute);
  const Tensor x = normal(kImages, 3 * of.pixels * of.pixels, {1, "x"}, torch::empty({0}))
                       .view({kImages, 3, of.pixels, of.pixels});
  const Tensor y = network.forward(x);
  const Tensor weights = normal(kImages, y.size(1), {1, "weights"}, torch::empty({0}));
  (y * weights).sum().backward();
  std::vector<std::pair<std::string, Tensor>> out = {{"y", y.detach()}};
  for (const auto& item : root->named_parameters()) {
    out.emplace_back("gradient of " + item.key(), item.value().grad());
  }
  for (const auto& item : root->named_buffers()) out.emplace_back(item.key(), item.value());
  return out;
}

class NetworkBits : public ::testing::TestWithParam<Case> {
 protected:
  void TearDown() override { use_threads({}); }
};
INSTANTIATE_TEST_SUITE_P(Of, NetworkBits, ::testing::ValuesIn(kCases),
                         [](const auto& of) { return of.param.name; });

TEST_P(NetworkBits, DoNotDependOnTheNumberOfThreads) {
  const auto one = outcome(GetParam(), 1);
  for (const int threads : {2, 3}) {
    const auto many = outcome(GetParam(), threads);
    ASSERT_EQ(many.size(), one.size());
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(many[i].second.equal(one[i].second)) << one[i].first << ", " << threads;
    }
  }
}

}  // namespace
}  // namespace adassl::nn
