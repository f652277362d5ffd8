#include <gtest/gtest.h>

#include "adassl/nn/built_network.h"
#include "adassl/nn/resnet.h"
#include "adassl/nn/tensors.h"
#include "support/tensor_memory.h"

/// The memory that a description promises, against that of all tensors in a forward and a backward
/// pass. The promise may be above: the largest gradients need not be there while everything is
/// kept.
namespace adassl::nn {
namespace {

constexpr int64_t kImages = 16;

struct Case {
  const char* name;
  ResNetShape shape;
  int64_t pixels;
  Compute compute;
};

const Case kCases[] = {
    {"depth18_small", {18, 16, Stem::kSmall}, 32, {}},
    {"depth18_large", {18, 16, Stem::kLarge}, 64, {}},
    {"depth50_torchvision", {50, 16, Stem::kTorchvision}, 96, {}},
    {"depth50_torchvision_reference",
     {50, 16, Stem::kTorchvision},
     96,
     {.kernels = Kernels::kReference}},
    {"depth18_small_bf16", {18, 16, Stem::kSmall}, 32, {.precision = Precision::kBfloat16}},
    {"depth18_torchvision_bf16",
     {18, 16, Stem::kTorchvision},
     96,
     {.precision = Precision::kBfloat16}},
    {"depth50_torchvision_bf16",
     {50, 16, Stem::kTorchvision},
     96,
     {.precision = Precision::kBfloat16}},
};

class EveryFootprint : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Of, EveryFootprint, ::testing::ValuesIn(kCases),
                         [](const auto& of) { return of.param.name; });

TEST_P(EveryFootprint, IsNearTheMemoryOfTensors) {
  const Case& of = GetParam();
  const auto root = std::make_shared<torch::nn::Module>("root");
  const BuiltNetwork network(*root, resnet(of.shape), {3, {1, of.pixels, of.pixels}},
                             std::make_shared<Compute>(of.compute));
  initialise(*root, 1);
  for (const Tensor& p : root->parameters()) p.mutable_grad() = torch::zeros_like(p);
  const Tensor x = normal(kImages, 3 * of.pixels * of.pixels, {1, "x"}, torch::empty({0}))
                       .view({kImages, 3, of.pixels, of.pixels})
                       .contiguous(torch::MemoryFormat::ChannelsLast);
  const testing::TensorMemory memory;
  const Tensor y = network.forward(x);
  y.square().sum().backward();
  const auto peak = static_cast<double>(memory.peak());
  const Footprint footprint = network.footprint();
  const double estimate =
      sizeof(float) *
      static_cast<double>(kImages * (footprint.kept + footprint.working) + footprint.fixed);
  EXPECT_GT(estimate, 0.9 * peak);
  EXPECT_LT(estimate, 1.4 * peak);
}

}  // namespace
}  // namespace adassl::nn
