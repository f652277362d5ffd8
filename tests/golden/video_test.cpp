#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/encoder.h"
#include "adassl/nn/tensors.h"
#include "golden/draws.h"
#include "golden/golden_file.h"

namespace adassl::testing {
namespace {

using Case = std::tuple<std::string, std::string, Arithmetic>;  // clips, "train" or "eval"

/// An encoder of a file, with a step's clips and what it makes of them, forward and backward.
struct Encoded {
  Encoded(const GoldenFile& file, const std::string& mode, const nn::ComputePtr& compute) {
    const uint64_t seed = std::stoull(file.text("seed"));
    Config config = Config::from_text(file.text("config"), "golden");
    encoder = make_part(model::encoders(), config, "encoder", "",
                        model::EncoderContext{file.numbers("observation"), true, compute});
    config.require_all_read();
    encoder->to(file.type());
    disturb(*encoder, seed);
    encoder->train(mode == "train");

    x = views_of(file, seed, 1).x.requires_grad_();
    representation = encoder->represent(x);
    embedding = encoder->project(representation);
    const auto weighed = [&](const char* name, const Tensor& value) {
      const random::Stream stream = random::Stream(seed, "cotangent").named(name);
      return (value * nn::normal(value.size(0), value.size(1), stream, value.detach())).sum();
    };
    (weighed("representation", representation) + weighed("embedding", embedding)).backward();
  }

  std::shared_ptr<model::Encoder> encoder;
  Tensor x, representation, embedding;
};

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
  const double tolerance = tolerance_of(arithmetic.type);
  const GoldenFile file("video_" + clips, arithmetic.type);
  const Encoded ours(file, mode, arithmetic.compute());
  EXPECT_TRUE(close(ours.representation, file.at(mode + "/value/representation"), tolerance));
  EXPECT_TRUE(close(ours.embedding, file.at(mode + "/value/embedding"), tolerance));
  expect_input_gradients({{"x", ours.x}}, file, mode, tolerance);
  expect_gradients(*ours.encoder, file, mode, tolerance);
  expect_buffers(*ours.encoder, file, mode + "/after", tolerance);
}

/// Of channels, frames and clips in other places nothing would be left. (Gradients of so small a
/// network are those of a few ReLUs, of which rounding turns some: see tests/model.)
TEST_P(EveryVideoEncoder, ResemblesThemInBfloat16) {
  const auto& [clips, mode, arithmetic] = GetParam();
  const nn::ComputePtr compute = arithmetic.compute(nn::Precision::kBfloat16);
  const GoldenFile file("video_" + clips, arithmetic.type);
  const Encoded ours(file, mode, compute);
  const bool rounds = arithmetic.type == torch::kFloat32 && compute->multiplies_in_bf16();
  const double tolerance = rounds ? 0.02 : tolerance_of(arithmetic.type);
  const Tensor expected = file.at(mode + "/value/representation");
  EXPECT_TRUE(close(ours.representation, expected, tolerance));
  EXPECT_EQ(close(ours.representation, expected, kFloatTolerance), !rounds);
  expect_buffers(*ours.encoder, file, mode + "/after", tolerance);
}

}  // namespace
}  // namespace adassl::testing
