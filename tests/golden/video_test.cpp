#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/encoder.h"
#include "adassl/nn/tensors.h"
#include "golden/draws.h"
#include "golden/golden_file.h"

namespace adassl::testing {
namespace {

using Case = std::tuple<std::string, std::string, Arithmetic>;  // clips, "train" or "eval"

class EveryVideoEncoder : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Golden, EveryVideoEncoder,
                         ::testing::Combine(::testing::Values("grey", "two_channels"),
                                            ::testing::Values("train", "eval"),
                                            ::testing::Values(kDouble, kFloat, kFusedFloat)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param) + "_" +
                                  std::get<2>(test.param).name;
                         });

/// Ours are two-dimensional convolutions with channels last, PyTorch's are Conv3d and BatchNorm3d.
TEST_P(EveryVideoEncoder, MatchesThreeDimensionalConvolutions) {
  const auto& [clips, mode, arithmetic] = GetParam();
  const nn::WithKernels kernels(arithmetic.kernels);
  const double tolerance = tolerance_of(arithmetic.type);
  const GoldenFile file("video_" + clips, arithmetic.type);
  const uint64_t seed = std::stoull(file.text("seed"));
  Config config = Config::from_text(file.text("config"), clips);
  const auto encoder = make_part(model::encoders(), config, "encoder", "",
                                 model::EncoderContext{file.numbers("observation"), true});
  config.require_all_read();
  encoder->to(arithmetic.type);
  disturb(*encoder, seed);
  encoder->train(mode == "train");

  const Tensor x = views_of(file, seed, 1).x.requires_grad_();
  const Tensor representation = encoder->represent(x);
  const Tensor embedding = encoder->project(representation);
  const auto weighed = [&](const char* name, const Tensor& value) {
    const random::Stream stream = random::Stream(seed, "cotangent").named(name);
    return (value * nn::normal(value.size(0), value.size(1), stream, value.detach())).sum();
  };
  (weighed("representation", representation) + weighed("embedding", embedding)).backward();
  EXPECT_TRUE(close(representation, file.at(mode + "/value/representation"), tolerance));
  EXPECT_TRUE(close(embedding, file.at(mode + "/value/embedding"), tolerance));
  expect_input_gradients({{"x", x}}, file, mode, tolerance);
  expect_gradients(*encoder, file, mode, tolerance);
  expect_buffers(*encoder, file, mode + "/after", tolerance);
}

}  // namespace
}  // namespace adassl::testing
