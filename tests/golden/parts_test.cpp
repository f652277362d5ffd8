#include <memory>

#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/model/editor.h"
#include "adassl/model/latents/sparse.h"
#include "adassl/model/latents/variational.h"
#include "adassl/model/objectives/contrastive.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/mlp.h"
#include "adassl/nn/tensors.h"
#include "golden/golden_file.h"

namespace adassl::testing {
namespace {

constexpr int64_t kEmbedding = 11;

using Mode = std::tuple<std::string, torch::ScalarType>;  // "train" or "eval"

std::string mode_name(const ::testing::TestParamInfo<Mode>& test) {
  return std::get<0>(test.param) + "_" + name_of(std::get<1>(test.param));
}

class InEachMode : public ::testing::TestWithParam<Mode> {
 protected:
  std::string mode_ = std::get<0>(GetParam());
  torch::ScalarType type_ = std::get<1>(GetParam());
  double tolerance_ = tolerance_of(type_);

  void check_mlp(const std::string& name, bool norm) {
    const GoldenFile file(name, type_);
    nn::Mlp mlp({.in = 10, .hidden = {8, 6}, .out = kEmbedding, .norm = norm, .slope = 0.01});
    load(mlp, file);
    mlp.train(mode_ == "train");
    const Tensor x = file.leaf("input/x");
    const Tensor y = mlp.forward(x);
    (y * file.at("cotangent")).sum().backward();
    EXPECT_TRUE(close(y, file.at(mode_ + "/value/y"), tolerance_));
    expect_input_gradients({{"x", x}}, file, mode_, tolerance_);
    expect_gradients(mlp, file, mode_, tolerance_);
    expect_buffers(mlp, file, mode_ + "/after", tolerance_);
  }

  std::shared_ptr<model::Latent> check_latent(const GoldenFile& file) {
    Config config = Config::from_text(file.text("config"), "golden");
    auto latent =
        make_part(model::latents(), config, "latent", "none", model::LatentContext{kEmbedding, 0});
    load(*latent, file);
    latent->train(mode_ == "train");
    const Tensor e = file.leaf("input/e");
    const Tensor helper = file.leaf("input/helper");
    const model::Draw draw = latent->infer({e, helper, {}}, noise());
    ((draw.r * file.at("cotangent/r")).sum() + (draw.cost * file.at("cotangent/cost")).sum())
        .backward();
    EXPECT_TRUE(close(draw.r, file.at(mode_ + "/value/r"), tolerance_));
    EXPECT_TRUE(close(draw.cost, file.at(mode_ + "/value/cost"), tolerance_));
    expect_input_gradients({{"e", e}, {"helper", helper}}, file, mode_, tolerance_);
    expect_gradients(*latent, file, mode_, tolerance_);
    expect_buffers(*latent, file, mode_ + "/after", tolerance_);
    return latent;
  }

  static random::Stream noise() { return random::Stream(5, "noise", 3).named("forward"); }
};

INSTANTIATE_TEST_SUITE_P(Golden, InEachMode,
                         ::testing::Combine(::testing::Values("train", "eval"),
                                            ::testing::Values(torch::kFloat64, torch::kFloat32)),
                         mode_name);

TEST_P(InEachMode, PlainMlpMatchesPyTorch) { check_mlp("mlp_plain", false); }

TEST_P(InEachMode, MlpWithBatchNormMatchesPyTorch) { check_mlp("mlp_norm", true); }

TEST_P(InEachMode, VariationalMatchesPyTorch) {
  const GoldenFile file("latent_variational", type_);
  const auto latent = check_latent(file);
  if (mode_ == "train") return;
  EXPECT_TRUE(close(latent->imagine(file.at("input/e"), noise()), file.at("eval/value/imagined"),
                    tolerance_));
}

TEST_P(InEachMode, SparseMatchesPyTorch) { check_latent(GoldenFile("latent_sparse", type_)); }

TEST(GoldenRandom, StreamsMatchAnotherImplementation) {
  const GoldenFile file("random", torch::kFloat32);
  const std::vector<std::pair<std::string, random::Stream>> streams = {
      {"plain", {1, "noise"}},
      {"step", random::Stream(42, "noise", 9).named("forward")},
      {"large",
       random::Stream((1ULL << 63) + 12345, "pairs", (1ULL << 40) + 7).named("a").named("b")},
  };
  for (const auto& [name, stream] : streams) {
    EXPECT_TRUE(torch::equal(nn::normal(6, 7, stream, torch::zeros({})), file.at(name + "/normal")))
        << name;
    EXPECT_TRUE(
        torch::equal(nn::uniform(6, 7, stream, torch::zeros({})), file.at(name + "/uniform")))
        << name;
  }
}

TEST(GoldenRandom, LatentsReceiveTheNoiseOfTheFile) {
  const random::Stream stream = random::Stream(5, "noise", 3).named("forward");
  const Tensor like = torch::zeros({}, torch::kFloat64);
  EXPECT_TRUE(torch::equal(nn::normal(8, 5, stream, like),
                           GoldenFile("latent_variational").at("input/noise")));
  EXPECT_TRUE(
      torch::equal(nn::uniform(8, 5, stream, like), GoldenFile("latent_sparse").at("input/noise")));
}

class OfEachType : public ::testing::TestWithParam<torch::ScalarType> {
 protected:
  torch::ScalarType type_ = GetParam();
  double tolerance_ = tolerance_of(type_);
};

INSTANTIATE_TEST_SUITE_P(Golden, OfEachType, ::testing::Values(torch::kFloat64, torch::kFloat32),
                         [](const auto& test) { return name_of(test.param); });

TEST_P(OfEachType, DistanceLogitsMatchExplicitDifferences) {
  const GoldenFile file("distances", type_);
  for (const std::string of_case : {"number", "dimension", "anchor"}) {
    SCOPED_TRACE(of_case);
    const Named inputs = {{"a", file.leaf("input/a")},
                          {"b", file.leaf("input/b")},
                          {"weights", file.leaf(of_case + "/input/weights")}};
    const Tensor logits =
        model::distance_logits(inputs[0].second, inputs[1].second, inputs[2].second, 0.3);
    (logits * file.at("cotangent")).sum().backward();
    EXPECT_TRUE(close(logits, file.at(of_case + "/value/logits"), tolerance_));
    expect_input_gradients(inputs, file, of_case, tolerance_);
  }
}

TEST_P(OfEachType, GaussianAndItsDivergenceMatchTorchDistributions) {
  const GoldenFile file("gaussian", type_);
  const Tensor q_output = file.leaf("input/q");
  const Tensor p_output = file.leaf("input/p");
  const model::Gaussian q = model::gaussian(q_output);
  const model::Gaussian p = model::gaussian(p_output);
  EXPECT_TRUE(close((q.log_variance / 2).exp(), file.at("value/q_sigma"), tolerance_));
  EXPECT_TRUE(close((p.log_variance / 2).exp(), file.at("value/p_sigma"), tolerance_));
  const Tensor r = model::reparameterise(q, file.at("input/eps"));
  EXPECT_TRUE(close(r, file.at("value/r"), tolerance_));
  (r * file.at("cotangent/r")).sum().backward({}, /*retain_graph=*/true);
  expect_input_gradients({{"q", q_output}}, file, "r", tolerance_);
  q_output.mutable_grad().reset();
  const Tensor kl = model::kl_divergence(q, p);
  EXPECT_TRUE(close(kl, file.at("value/kl"), tolerance_));
  (kl * file.at("cotangent/kl")).sum().backward();
  expect_input_gradients({{"q", q_output}, {"p", p_output}}, file, "kl", tolerance_);
}

TEST_P(OfEachType, StraightThroughGateMatchesPyTorch) {
  const GoldenFile file("gate", type_);
  const Tensor logits = file.leaf("input/logits");
  const Tensor gate = model::straight_through_gate(logits, file.at("input/u"));
  EXPECT_TRUE(close(gate, file.at("value/gate"), tolerance_));
  (gate * file.at("cotangent")).sum().backward();
  expect_input_gradients({{"logits", logits}}, file, "gate", tolerance_);
}

TEST_P(OfEachType, EveryEditorMatchesPyTorch) {
  const GoldenFile file("editors", type_);
  std::set<std::string> kinds;
  for (const auto& [of_case, text] : file.texts()) {
    SCOPED_TRACE(of_case);
    const Named inputs = {{"e", file.leaf(of_case + "/input/e")},
                          {"r", file.leaf(of_case + "/input/r")}};
    Config config = Config::from_text(text, "golden");
    const auto editor = make_part(model::editors(), config, "editor", "",
                                  model::EditorContext{kEmbedding, inputs[1].second.size(1)});
    config.require_all_read();
    kinds.insert(config.read_text("editor.kind", "", ""));
    load(*editor, file, of_case);
    editor->train();
    const Tensor e_hat = editor->edit(inputs[0].second, inputs[1].second);
    (e_hat * file.at(of_case + "/cotangent")).sum().backward();
    EXPECT_TRUE(close(e_hat, file.at(of_case + "/value/e_hat"), tolerance_));
    expect_input_gradients(inputs, file, of_case, tolerance_);
    expect_gradients(*editor, file, of_case, tolerance_);
    expect_buffers(*editor, file, of_case + "/after", tolerance_);
  }
  for (const std::string& name : names(model::editors())) {
    EXPECT_TRUE(kinds.contains(name)) << "no reference for the editor " << name;
  }
}

}  // namespace
}  // namespace adassl::testing
