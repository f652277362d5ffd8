#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/encoder.h"
#include "adassl/model/initial_weights.h"
#include "adassl/model/method.h"
#include "adassl/nn/layers.h"
#include "adassl/nn/tensors.h"
#include "adassl/storage/safetensors.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::model {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

constexpr int64_t kSide = 16;
const char* const kSmall =
    "encoder.kind = 'resnet'\nencoder.width = 8\nencoder.projector = [8]\nencoder.out = 6\n";

std::shared_ptr<Encoder> encoder_of(const std::vector<std::string>& overrides = {},
                                    const std::vector<int64_t>& image = {3, kSide, kSide}) {
  Config config = Config::from_text(kSmall, "test");
  for (const std::string& assignment : overrides) config.override_with(assignment);
  auto out = make_part(encoders(), config, "encoder", "", EncoderContext{image, true});
  config.require_all_read();
  nn::initialise(*out, 1);
  return out;
}

Tensor bytes(int64_t batch) {
  return nn::uniform(batch, 3 * kSide * kSide, {1, "images"}, torch::empty({0}))
      .mul(255)
      .to(torch::kUInt8)
      .view({batch, 3, kSide, kSide});
}

// ---- images

TEST(ResNet, SeesBytesAndFloatsAlike) {
  const auto encoder = encoder_of();
  encoder->eval();
  const Tensor x = bytes(4);
  EXPECT_TRUE(encoder->forward(x).allclose(encoder->forward(x.to(torch::kFloat32) / 255)));
}

TEST(ResNet, NormalisesByBuffersOfItsOwn) {
  const auto encoder = encoder_of({"encoder.mean=[0.1, 0.2, 0.3]", "encoder.deviation=[0.5]"});
  encoder->eval();
  const auto plain = encoder_of({"encoder.mean=[0.0]", "encoder.deviation=[1.0]"});
  plain->eval();
  const Tensor x = bytes(4).to(torch::kFloat32) / 255;
  const Tensor mean = torch::tensor({0.1, 0.2, 0.3}, torch::kFloat32).view({1, 3, 1, 1});
  EXPECT_TRUE(encoder->forward(x).allclose(plain->forward((x - mean) / 0.5), 1e-4, 1e-5));
  EXPECT_TRUE(encoder->named_buffers()["deviation"].allclose(torch::full({3}, 0.5)));
}

TEST(ResNet, RefusesWhatIsNoImageAndMeansThatDoNotFit) {
  EXPECT_EQ(error_of([] { encoder_of({}, {10}); }),
            "[encoder] resnet: expected images [channels, height, width], got observations of 1 "
            "dimensions");
  EXPECT_EQ(error_of([] { encoder_of({"encoder.mean=[0.1, 0.2]"}); }),
            "[encoder] mean: expected one number, or one for each of 3 channels, got 2");
  EXPECT_EQ(error_of([] { encoder_of({"encoder.depth=34"}); }),
            "[encoder] depth: expected 18 or 50, got 34");
}

TEST(ResNet, ChoosesItsStemByTheSizeOfTheImage) {
  const auto kernel = [](int64_t pixels, const std::vector<std::string>& overrides) {
    return encoder_of(overrides, {3, pixels, pixels})->named_parameters()["conv1.weight"].size(2);
  };
  EXPECT_EQ(kernel(64, {}), 3);
  EXPECT_EQ(kernel(65, {}), 7);
  EXPECT_EQ(kernel(64, {"encoder.stem=torchvision"}), 7);
}

TEST(ResNet, EmbedsItsRepresentationWithoutAProjector) {
  const auto encoder = encoder_of({"encoder.out=0"});
  EXPECT_EQ(encoder->embedding_width(), 64);
  EXPECT_EQ(encoder->forward(bytes(2)).sizes(), (std::vector<int64_t>{2, 64}));
}

TEST(ResNet, TrainsOnBytesByEveryPathOfAMethod) {
  for (const char* method : {"infonce", "byol"}) {
    Config config = Config::from_text(kSmall, "test");
    config.override_with(std::string("method=") + method);
    if (std::string(method) == "byol") config.override_with("objective.hidden=[8]");
    const auto trained = make_method(config, {.observation = {3, kSide, kSide}, .seed = 1});
    trained->train();
    const Loss loss = trained->forward({bytes(4), bytes(4).flip(0), {}, {}, {}}, 1, {1, "noise"});
    loss.total.backward();
    EXPECT_TRUE(loss.total.isfinite().item<bool>());
    EXPECT_EQ(trained->embed(bytes(3)).size(0), 3);
  }
}

// ---- weights from a file

class InitFrom : public ::testing::Test {
 protected:
  using Named = std::map<std::string, Tensor>;

  /// The trunk of another encoder, under torchvision's names.
  static Named weights() {
    const auto encoder = encoder_of({"encoder.stem=torchvision"});
    nn::initialise(*encoder, 2);
    Named out;
    for (const auto& item : encoder->named_parameters()) out[item.key()] = item.value().detach();
    for (const auto& item : encoder->named_buffers()) out[item.key()] = item.value().clone();
    std::erase_if(out, [](const auto& item) {
      return item.first.starts_with("projector") || item.first == "mean" ||
             item.first == "deviation";
    });
    out["bn1.running_mean"].fill_(0.25);
    out["bn1.num_batches_tracked"] = torch::zeros({1}, torch::kInt64).squeeze();
    out["fc.weight"] = torch::zeros({10, 64});
    return out;
  }

  std::filesystem::path written(const Named& named,
                                const std::map<std::string, std::string>& metadata = {}) const {
    std::vector<storage::TensorView> views;
    std::vector<Tensor> owners;
    for (const auto& [name, tensor] : named) {
      owners.push_back(tensor.contiguous());
      const bool whole = owners.back().scalar_type() == torch::kInt64;
      const bool half = owners.back().scalar_type() == torch::kFloat16;
      views.push_back(
          {name,
           whole  ? storage::Dtype::kI64
           : half ? storage::Dtype::kF16
                  : storage::Dtype::kF32,
           owners.back().sizes().vec(),
           {static_cast<const std::byte*>(owners.back().data_ptr()), owners.back().nbytes()}});
    }
    const auto path = folder_ / "weights.safetensors";
    storage::write_safetensors(path, views, metadata);
    return path;
  }

  static std::shared_ptr<Encoder> from(const std::filesystem::path& path,
                                       const std::vector<std::string>& normalisation = {
                                           "encoder.mean=[0.4]", "encoder.deviation=[0.3]"}) {
    std::vector<std::string> overrides = normalisation;
    overrides.push_back("encoder.init_from=" + path.string());
    return encoder_of(overrides);
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(InitFrom, TakesWeightsAndStatisticsAndLeavesTheProjector) {
  const Named file = weights();
  const auto encoder = from(written(file));
  const Tensor projector = encoder->named_parameters()["projector.linear0.weight"].clone();
  const auto lines = encoder->start_from_files();
  EXPECT_THAT(lines, ElementsAre(HasSubstr("100 of 100 tensors of the encoder start from")));
  for (const auto& item : encoder->named_parameters()) {
    if (item.key().starts_with("projector")) continue;
    EXPECT_TRUE(item.value().equal(file.at(item.key()))) << item.key();
  }
  EXPECT_EQ(encoder->named_buffers()["bn1.running_mean"].min().item<float>(), 0.25F);
  EXPECT_TRUE(encoder->named_parameters()["projector.linear0.weight"].equal(projector));
}

TEST_F(InitFrom, TellsWhatIsMissingAndWhatIsNotUsed) {
  Named file = weights();
  file.erase("layer4.1.bn2.bias");
  file.erase("bn1.weight");
  file["head.weight"] = torch::zeros({2});
  const auto lines = from(written(file))->start_from_files();
  EXPECT_THAT(lines,
              ElementsAre(HasSubstr("98 of 100 tensors"),
                          ::testing::EndsWith("drawn instead: bn1.weight, layer4.1.bn2.bias"),
                          ::testing::EndsWith(": head.weight")));
}

/// Weights that were trained here come with the numbers by which their images were normalised.
TEST_F(InitFrom, NormalisesAsTheFileDoesUnlessTheConfigurationSaysOtherwise) {
  Named file = weights();
  file["mean"] = torch::tensor({0.1F, 0.2F, 0.3F});
  file["deviation"] = torch::tensor({0.4F, 0.5F, 0.6F});
  const auto path = written(file);
  const auto silent = from(path, {});
  EXPECT_THAT(silent->start_from_files(),
              ElementsAre(HasSubstr("100 of 100 tensors"),
                          "images are normalised with mean and deviation from " + path.string()));
  EXPECT_TRUE(silent->named_buffers()["mean"].equal(file["mean"]));
  EXPECT_TRUE(silent->named_buffers()["deviation"].equal(file["deviation"]));

  const auto outspoken = from(path, {"encoder.mean=[0.7]"});
  EXPECT_THAT(outspoken->start_from_files(),
              ElementsAre(HasSubstr("100 of 100 tensors"),
                          "images are normalised with deviation from " + path.string(),
                          "images are normalised with encoder.mean, not with the numbers in " +
                              path.string()));
  EXPECT_TRUE(outspoken->named_buffers()["mean"].equal(torch::full({3}, 0.7F)));
  EXPECT_TRUE(outspoken->named_buffers()["deviation"].equal(file["deviation"]));
}

TEST_F(InitFrom, WarnsWhereNobodySaysHowToNormalise) {
  const auto path = written(weights());
  const auto encoder = from(path, {});
  EXPECT_THAT(encoder->start_from_files(),
              ElementsAre(HasSubstr("100 of 100 tensors"),
                          "warning: neither the configuration nor " + path.string() +
                              " says how images were normalised for these weights; mean 0.5 and "
                              "deviation 0.25 by default. Weights from torchvision need "
                              "encoder.mean=[0.485,0.456,0.406] "
                              "encoder.deviation=[0.229,0.224,0.225]"));
  EXPECT_TRUE(encoder->named_buffers()["mean"].equal(torch::full({3}, 0.5F)));
  EXPECT_THAT(from(path)->start_from_files(), ElementsAre(HasSubstr("100 of 100 tensors")));
}

TEST_F(InitFrom, RefusesToDivideByTheDeviationZero) {
  Named file = weights();
  file["deviation"] = torch::tensor({0.4F, 0.0F, 0.6F});
  const auto path = written(file);
  EXPECT_EQ(error_of([&] { from(path, {})->start_from_files(); }),
            "[" + path.string() + "] deviation: expected numbers above 0, got 0");
}

TEST_F(InitFrom, ReadsHalfPrecision) {
  Named file = weights();
  file["conv1.weight"] = file["conv1.weight"].to(torch::kFloat16);
  const auto encoder = from(written(file));
  encoder->start_from_files();
  EXPECT_TRUE(
      encoder->named_parameters()["conv1.weight"].equal(file["conv1.weight"].to(torch::kFloat32)));
}

TEST_F(InitFrom, RefusesOtherShapesAndFilesAndCopiesNothingThen) {
  Named file = weights();
  file["layer4.1.bn2.bias"] = torch::zeros({7});
  const auto path = written(file);
  const auto encoder = from(path);
  const Tensor before = encoder->named_parameters()["conv1.weight"].clone();
  EXPECT_EQ(error_of([&] { encoder->start_from_files(); }),
            "[" + path.string() + "] layer4.1.bn2.bias: expected shape [64], got [7]");
  EXPECT_TRUE(encoder->named_parameters()["conv1.weight"].equal(before));
  file = weights();
  file["conv1.weight"][0][0][0][0] = NAN;
  written(file);
  EXPECT_THAT(error_of([&] { encoder->start_from_files(); }),
              HasSubstr("conv1.weight: expected finite numbers"));
  written({{"some", torch::zeros({2})}});
  EXPECT_THAT(error_of([&] { encoder->start_from_files(); }),
              HasSubstr("expected names such as 'bn1.bias', got some"));
  EXPECT_THAT(error_of([&] { from(folder_ / "absent")->start_from_files(); }), HasSubstr("absent"));
}

/// The stems `large` and `torchvision` have the same weights.
TEST_F(InitFrom, RefusesAFileThatNamesAnotherStem) {
  const auto path = written(weights(), {{"stem", "large"}});
  EXPECT_EQ(error_of([&] { from(path)->start_from_files(); }),
            "[encoder.stem] expected the stem of " + path.string() +
                ", large, got torchvision; set encoder.stem=large");
  const auto same = encoder_of({"encoder.init_from=" + path.string(), "encoder.stem=large"});
  EXPECT_NO_THROW(same->start_from_files());
  EXPECT_EQ(same->facts().at("stem"), "large");
}

TEST_F(InitFrom, GivesTheTargetNetworkTheSameStart) {
  Config config = Config::from_text(kSmall, "test");
  for (const std::string line : {"method=byol", "objective.hidden=[8]"}) config.override_with(line);
  Named file = weights();
  file["mean"] = torch::tensor({0.1F, 0.2F, 0.3F});
  file["deviation"] = torch::tensor({0.4F, 0.5F, 0.6F});
  config.override_with("encoder.init_from=" + written(file).string());
  const auto method = make_method(config, {.observation = {3, kSide, kSide}, .seed = 1});
  EXPECT_EQ(method->notes().size(), 2U);
  EXPECT_TRUE(method->named_buffers()["target.mean"].equal(file["mean"]));
  EXPECT_TRUE(method->named_buffers()["target.deviation"].equal(file["deviation"]));
  EXPECT_EQ(method->named_buffers()["target.bn1.running_mean"].min().item<float>(), 0.25F);
  EXPECT_TRUE(method->named_parameters()["target.conv1.weight"].equal(
      method->named_parameters()["encoder.conv1.weight"]));
}

/// A run that goes on from its checkpoint does not need the file any more.
TEST_F(InitFrom, IsNotReadWhereACheckpointFollows) {
  Config config = Config::from_text(kSmall, "test");
  config.override_with("method=infonce");
  config.override_with("encoder.init_from=" + (folder_ / "gone").string());
  const MethodContext fresh{.observation = {3, kSide, kSide}, .seed = 1};
  MethodContext restored = fresh;
  restored.restored = true;
  EXPECT_THAT(error_of([&] { make_method(config, fresh); }), HasSubstr("gone"));
  EXPECT_NO_THROW(make_method(config, restored));
}

}  // namespace
}  // namespace adassl::model
