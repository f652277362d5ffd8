#include <map>

#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/encoder.h"
#include "adassl/nn/layers.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

constexpr int64_t kClips = 32;
constexpr int64_t kChannels = 2, kFrames = 3, kHeight = 22, kWidth = 18;

/// Each frame of each clip has a brightness of its own, so that all of them can be told apart.
Tensor clips() {
  const auto normal = [](int64_t columns, const char* purpose) {
    return nn::normal(kClips * kChannels * kFrames, columns, {1, purpose}, torch::empty({0}));
  };
  return (normal(1, "brightness") + 0.3 * normal(kHeight * kWidth, "noise"))
      .view({kClips, kChannels, kFrames, kHeight, kWidth});
}

using Named = std::map<std::string, Tensor>;

/// What the encoder says of them, and every gradient and running statistic of it.
Named outcome(const nn::Compute& compute) {
  Config config = Config::from_text(
      "encoder.kind = 'video_cnn'\nencoder.channels = [8, 12, 16, 16, 20]\n"
      "encoder.projector = [512]\nencoder.out = 32\n",
      "test");
  const auto encoder = make_part(
      encoders(), config, "encoder", "",
      EncoderContext{
          {kChannels, kFrames, kHeight, kWidth}, true, std::make_shared<nn::Compute>(compute)});
  nn::initialise(*encoder, 1);
  encoder->train();
  const Tensor x = clips().requires_grad_();
  const Tensor representation = encoder->represent(x);
  const Tensor embedding = encoder->project(representation);
  const auto weighed = [](const Tensor& value) {
    return (value * nn::normal(kClips, value.size(1), {1, "cotangent"}, value.detach())).sum();
  };
  (weighed(representation) + weighed(embedding)).backward();
  Named out = {{"representation", representation.detach()},
               {"embedding", embedding.detach()},
               {"gradient of x", x.grad()}};
  for (const auto& item : encoder->named_parameters()) {
    out["gradient of " + item.key()] = item.value().grad();
  }
  for (const auto& item : encoder->named_buffers()) out[item.key()] = item.value();
  return out;
}

/// Rounding opens or closes one ReLU of a hundred at each layer; gradients change by the root of
/// that share. Frames, clips or channels in each other's places would leave nothing of either.
TEST(VideoCnn, InBfloat16IsTheSameFunctionWithTheSameGradients) {
  const nn::Compute bf16{.precision = nn::Precision::kBfloat16};
  const Named exact = outcome({});
  const Named ours = outcome(bf16);
  ASSERT_EQ(ours.size(), exact.size());
  for (const auto& [name, value] : ours) {
    const double tolerance = name.starts_with("gradient") ? 0.3 : 0.02;
    EXPECT_LT((value - exact.at(name)).norm().item<double>(),
              tolerance * exact.at(name).norm().item<double>() + 1e-12)
        << name;
  }
  EXPECT_EQ(torch::equal(ours.at("representation"), exact.at("representation")),
            !bf16.multiplies_in_bf16());
}

}  // namespace
}  // namespace adassl::model
