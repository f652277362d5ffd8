#include "contracts/parts.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/model/objectives/contrastive.h"
#include "adassl/nn/bf16_chain.h"
#include "adassl/nn/compute.h"
#include "support/error_message.h"

/// What every entry of every table promises. A new part is covered by being in its table.
namespace adassl::testing {
namespace {

using model::Draw;
using model::Evidence;

class Named : public ::testing::TestWithParam<std::string> {};

template <class Part>
void require_gradient(const std::shared_ptr<Part>& part) {
  for (const auto& item : part->named_parameters()) {
    EXPECT_TRUE(item.value().grad().defined()) << item.key();
    if (item.value().grad().defined()) {
      EXPECT_TRUE(item.value().grad().isfinite().all().template item<bool>()) << item.key();
    }
  }
}

/// Reading what a part resolved to gives the same again.
template <class Table, class... Context>
void require_round_trip(const Table& table, const std::string& section, const std::string& name,
                        const Context&... context) {
  Config first = Config::from_text("", "defaults");
  find(table, section, name).make(first, section, context...);
  const std::string resolved = first.resolved();
  Config second = Config::from_text(resolved, "resolved");
  find(table, section, name).make(second, section, context...);
  second.require_all_read();
  EXPECT_EQ(second.resolved(), resolved);
}

class EveryLatent : public Named {
 protected:
  model::LatentContext context_{kWidth, 5};
  Config config_ = Config::from_text("", "test");
  std::shared_ptr<model::Latent> latent_ =
      find(model::latents(), "latent", GetParam()).make(config_, "latent", context_);
  void SetUp() override { nn::initialise(*latent_, 1); }
};

TEST_P(EveryLatent, InfersFiniteValuesOfItsOwnWidth) {
  const Evidence evidence{draws(kWidth, "e"), draws(kWidth, "helper"), draws(5, "change")};
  const Draw draw = latent_->infer(evidence, {1, "noise"});
  EXPECT_EQ(draw.r.sizes(), (std::vector<int64_t>{kBatch, latent_->dim()}));
  EXPECT_EQ(draw.cost.sizes(), draw.r.sizes());
  EXPECT_TRUE(draw.r.isfinite().all().item<bool>());
  EXPECT_GE(model::regulariser(draw).item<double>(), 0);
  EXPECT_EQ(latent_->imagine(evidence.e, {1, "noise"}).sizes(), draw.r.sizes());
}

TEST_P(EveryLatent, SendsGradientToTheEncoder) {
  const Tensor e = draws(kWidth, "e").requires_grad_();
  const Tensor helper = draws(kWidth, "helper").requires_grad_();
  const Draw draw = latent_->infer({e, helper, draws(5, "change")}, {1, "noise"});
  const Tensor loss = (draw.r.square().sum() + model::regulariser(draw));
  if (!latent_->needs_helper()) {
    EXPECT_FALSE(loss.requires_grad());
    return;
  }
  loss.backward();
  EXPECT_GT(helper.grad().abs().sum().item<double>(), 0);
  if (GetParam() != "future") {  // which does not look at e
    EXPECT_GT(e.grad().abs().sum().item<double>(), 0);
  }
  require_gradient(latent_);
}

TEST_P(EveryLatent, DrawsTheSameFromTheSameStream) {
  const Evidence evidence{draws(kWidth, "e"), draws(kWidth, "helper"), draws(5, "change")};
  latent_->eval();
  EXPECT_TRUE(
      torch::equal(latent_->infer(evidence, {1, "a"}).r, latent_->infer(evidence, {1, "a"}).r));
}

TEST_P(EveryLatent, RoundTripsItsOptions) {
  require_round_trip(model::latents(), "latent", GetParam(), context_);
}

TEST_P(EveryLatent, WarmsItsWeightUpAndNeverExceedsIt) {
  double last = -1;
  for (const int64_t step : {1, 10, 500, 999, 1000, 5000}) {
    EXPECT_GE(latent_->beta(step), last);
    last = latent_->beta(step);
  }
  EXPECT_EQ(latent_->beta(5000), latent_->beta(1'000'000));
}

const auto latent_names = names(model::latents());
INSTANTIATE_TEST_SUITE_P(Latents, EveryLatent, ::testing::ValuesIn(latent_names),
                         [](const auto& param) { return test_name(param.param); });

class EveryEditor : public Named {};

TEST_P(EveryEditor, EditsFinitelyAndPassesGradient) {
  for (const int64_t width : {int64_t{0}, kWidth}) {  // without a latent, and with one
    Config config = Config::from_text("", "test");
    const auto editor = find(model::editors(), "editor", GetParam())
                            .make(config, "editor", model::EditorContext{kWidth, width});
    nn::initialise(*editor, 1);
    const Tensor e = draws(kWidth, "e").requires_grad_();
    const Tensor r = draws(kWidth, "r").narrow(1, 0, width).clone().requires_grad_();
    const Tensor edited = editor->edit(e, r);
    ASSERT_EQ(edited.sizes(), (std::vector<int64_t>{kBatch, editor->width({kWidth, width})}));
    edited.square().sum().backward();
    EXPECT_GT(e.grad().abs().sum().item<double>(), 0);
    require_gradient(editor);
  }
}

TEST_P(EveryEditor, RoundTripsItsOptions) {
  require_round_trip(model::editors(), "editor", GetParam(), model::EditorContext{kWidth, kWidth});
}

const auto editor_names = names(model::editors());
INSTANTIATE_TEST_SUITE_P(Editors, EveryEditor, ::testing::ValuesIn(editor_names),
                         [](const auto& param) { return test_name(param.param); });

class EverySimilarity : public Named {};

TEST_P(EverySimilarity, WeighsEveryDirectionPositively) {
  Config config = Config::from_text("", "test");
  const auto similarity = find(model::similarities(), "similarity", GetParam())
                              .make(config, "similarity", model::SimilarityContext{kWidth});
  nn::initialise(*similarity, 1);
  const Tensor e = draws(kWidth, "e");
  const Tensor weights = similarity->concentration(e);
  EXPECT_GT(weights.min().item<double>(), 0);
  const Tensor q = draws(kWidth, "q");
  const Tensor k = draws(kWidth, "k");
  const Tensor differences = q.unsqueeze(1) - k.unsqueeze(0);  // [B, B, d]
  const Tensor expanded =
      weights.dim() == 2 ? weights.unsqueeze(1) : weights.expand({kBatch, kBatch, kWidth});
  const Tensor plain = -(expanded * differences.square()).sum(2) / 0.5;
  EXPECT_TRUE(torch::allclose(model::distance_logits(q, k, weights, 0.5), plain, 1e-4, 1e-3));
}

TEST_P(EverySimilarity, RoundTripsItsOptions) {
  require_round_trip(model::similarities(), "similarity", GetParam(),
                     model::SimilarityContext{kWidth});
}

const auto similarity_names = names(model::similarities());
INSTANTIATE_TEST_SUITE_P(Similarities, EverySimilarity, ::testing::ValuesIn(similarity_names),
                         [](const auto& param) { return test_name(param.param); });

/// Each with observations of a kind it is made for.
class EveryEncoder : public Named {
 protected:
  std::vector<int64_t> observation_ = GetParam() == "video_cnn" ? std::vector<int64_t>{2, 3, 9, 8}
                                      : GetParam() == "resnet"  ? std::vector<int64_t>{3, 8, 8}
                                                                : std::vector<int64_t>{10};
};

TEST_P(EveryEncoder, EncodesToTheWidthItPromises) {
  for (const bool hypersphere : {true, false}) {
    Config config = Config::from_text("", "test");
    const auto encoder =
        find(model::encoders(), "encoder", GetParam())
            .make(config, "encoder", model::EncoderContext{observation_, hypersphere});
    nn::initialise(*encoder, 1);
    std::vector<int64_t> shape = observation_;
    int64_t numbers = 1;
    for (const int64_t extent : shape) numbers *= extent;
    shape.insert(shape.begin(), kBatch);
    const Tensor x = draws(numbers, "x").view(shape);
    const Tensor e = encoder->forward(x);
    EXPECT_EQ(e.sizes(), (std::vector<int64_t>{kBatch, encoder->embedding_width()}));
    EXPECT_GT(encoder->footprint().kept, 0);
    e.square().sum().backward();
    require_gradient(encoder);
  }
}

TEST(VideoCnn, AsksForLessMemoryInBfloat16) {
  const auto activations = [](const nn::Compute& compute) {
    Config config = Config::from_text("", "test");
    return find(model::encoders(), "encoder", "video_cnn")
        .make(config, "encoder",
              model::EncoderContext{{1, 3, 64, 64}, true, std::make_shared<nn::Compute>(compute)})
        ->footprint()
        .kept;
  };
  const nn::Compute bf16{.precision = nn::Precision::kBfloat16};
  if (!bf16.multiplies_in_bf16()) GTEST_SKIP() << "float32 is faster here";
  EXPECT_LT(3 * activations(bf16), activations({}));
}

TEST_P(EveryEncoder, RoundTripsItsOptions) {
  require_round_trip(model::encoders(), "encoder", GetParam(),
                     model::EncoderContext{observation_, true});
}

const auto encoder_names = names(model::encoders());
INSTANTIATE_TEST_SUITE_P(Encoders, EveryEncoder, ::testing::ValuesIn(encoder_names),
                         [](const auto& param) { return test_name(param.param); });

TEST(MlpEncoder, AsksForAWidthWhereTheObservationIsNoVector) {
  Config config = Config::from_text("", "test");
  const auto& entry = find(model::encoders(), "encoder", "mlp");
  EXPECT_THAT(error_of([&] {
                entry.make(config, "encoder", model::EncoderContext{{1, 3, 8, 8}, true});
              }),
              ::testing::HasSubstr("this one has 192 numbers; expected a width"));
}

TEST(EveryPart, ExplainsItselfAndItsOptions) {
  const auto check = [](const auto& table) {
    for (const auto& entry : table) {
      EXPECT_FALSE(entry.summary.empty()) << entry.name;
      for (const auto& field : entry.describe()) {
        EXPECT_FALSE(field.help.empty()) << entry.name << "." << field.name;
      }
    }
  };
  check(data::sources());
  check(model::encoders());
  check(model::latents());
  check(model::editors());
  check(model::objectives());
  check(model::similarities());
  check(evaluation::evaluations());
}

/// The launcher describes the parts without LibTorch, and has to know the same ones.
TEST(Catalogue, HasWhatTheTablesHave) {
  const parts::Catalogue described = parts::built_in();
  const parts::Catalogue made = study::catalogue_of({});
  EXPECT_EQ(names(described.methods), names(made.methods));
  EXPECT_EQ(names(described.sources), names(made.sources));
  EXPECT_EQ(names(described.evaluations), names(made.evaluations));
  ASSERT_EQ(described.parts.size(), made.parts.size());
  for (const auto& [section, table] : made.parts) {
    EXPECT_EQ(names(described.parts.at(section)), names(table)) << section;
  }
}

}  // namespace
}  // namespace adassl::testing
