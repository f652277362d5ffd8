#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "adassl/core/error.h"
#include "adassl/model/objective.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/layers.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

constexpr int64_t kBatch = 70;

struct Setting {
  std::string similarity = "isotropic";
  std::string negatives = "targets";
  std::string form = "distance";
  double clamp = 0;
  bool hypersphere = true;
  bool predictor = false;
  int64_t width = 6;
  nn::ComputePtr compute = nn::default_compute();
};

std::shared_ptr<Objective> make(const Setting& setting) {
  Config config = Config::from_text(
      join("similarity.kind = '", setting.similarity, "'\nobjective.negatives = '",
           setting.negatives, "'\nobjective.form = '", setting.form,
           "'\nobjective.clamp = ", setting.clamp, "\nobjective.tau = 0.5\n",
           setting.predictor ? "objective.predictor = true\nobjective.predictor_hidden = [9]" : ""),
      "test");
  if (setting.similarity == "heteroscedastic-mlp") config.override_with("similarity.hidden=[9]");
  auto objective = make_part(objectives(), config, "objective", "contrastive",
                             ObjectiveContext{.embedding = setting.width,
                                              .edited = setting.width,
                                              .hypersphere = setting.hypersphere,
                                              .config = &config,
                                              .compute = setting.compute});
  nn::initialise(*objective, 4);
  return objective;
}

/// Which of the pair's directions the loss has, and whether an editor stands between.
enum class Directions { kOne, kBoth, kBothUnedited };

struct Outcome {
  double loss = 0;
  Tensor inputs, all;  // gradients: of the embeddings, and of those and all parameters
};

Outcome outcome_of(const Setting& setting, Directions directions, torch::ScalarType type) {
  const auto objective = make(setting);
  objective->to(type);
  const auto input = [&](const char* purpose) {
    const Tensor drawn = nn::normal(kBatch, setting.width, {4, purpose}, torch::empty({0}));
    return (0.7 * drawn).to(type).set_requires_grad(true);
  };
  const Tensor x = input("x");
  const Tensor y = input("y");
  std::vector<Tensor> leaves = {x, y};
  Tensor loss;
  if (directions == Directions::kBothUnedited) {
    loss = objective->loss({x, x, y}, Direction{y, y, x});
  } else {
    const Tensor y_hat = input("y_hat");
    const Tensor x_hat = input("x_hat");
    leaves.push_back(y_hat);
    std::optional<Direction> backward;
    if (directions == Directions::kBoth) {
      leaves.push_back(x_hat);
      backward = Direction{y, x_hat, x};
    }
    loss = objective->loss({x, y_hat, y}, backward);
  }
  loss.backward();
  std::vector<Tensor> gradients;
  for (const Tensor& leaf : leaves) {
    // One direction with the targets as candidates need not ask for the source.
    const Tensor& gradient = leaf.grad();
    gradients.push_back((gradient.defined() ? gradient : torch::zeros_like(leaf)).reshape(-1));
  }
  Outcome out{loss.item<double>(), torch::cat(gradients), {}};
  for (const Tensor& p : objective->parameters()) gradients.push_back(p.grad().reshape(-1));
  out.all = torch::cat(gradients);
  return out;
}

void expect_close(const Tensor& ours, const Tensor& exact) {
  EXPECT_LE((ours - exact).norm().item<double>(), 1e-5 * exact.norm().item<double>());
}

/// Gradients are compared as a whole: single ones nearly vanish where the loss does not change, as
/// with the scale of a weight that a norm undoes.
void expect_fused_equals_double(const Setting& setting, Directions directions) {
  const Outcome fused = outcome_of(setting, directions, torch::kFloat32);
  const Outcome exact = outcome_of(setting, directions, torch::kFloat64);
  EXPECT_NEAR(fused.loss, exact.loss, 1e-6 * exact.loss);
  expect_close(fused.inputs, exact.inputs);
  expect_close(fused.all, exact.all);
}

class FusedContrastive : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(With, FusedContrastive, ::testing::ValuesIn(names(similarities())),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(FusedContrastive, EqualsTheReferenceInDouble) {
  const nn::ComputePtr compute = nn::default_compute();
  for (const char* negatives : {"targets", "both"}) {
    for (const auto& [form, clamp] :
         {std::pair{"distance", 0.0}, {"cosine", 0.0}, {"cosine", 1.5}}) {
      for (const bool hypersphere : {true, false}) {
        for (const bool predictor : {false, true}) {
          for (const auto directions :
               {Directions::kOne, Directions::kBoth, Directions::kBothUnedited}) {
            SCOPED_TRACE(join(negatives, ", ", form, ", clamp ", clamp, ", hypersphere ",
                              hypersphere, ", predictor ", predictor, ", directions ",
                              static_cast<int>(directions)));
            expect_fused_equals_double({.similarity = GetParam(),
                                        .negatives = negatives,
                                        .form = form,
                                        .clamp = clamp,
                                        .hypersphere = hypersphere,
                                        .predictor = predictor,
                                        .compute = compute},
                                       directions);
          }
        }
      }
    }
  }
  EXPECT_TRUE(compute->fallbacks.empty());
}

void expect_reference_with_note(Setting setting, const std::string& note) {
  const Outcome fused = outcome_of(setting, Directions::kBoth, torch::kFloat32);
  const auto notes = setting.compute->fallbacks;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], ::testing::HasSubstr(note));
  setting.compute = nn::reference_compute();
  const Outcome plain = outcome_of(setting, Directions::kBoth, torch::kFloat32);
  EXPECT_EQ(fused.loss, plain.loss);
  EXPECT_TRUE(torch::equal(fused.all, plain.all));
  EXPECT_TRUE(setting.compute->fallbacks.empty());
}

TEST(Contrastive, RefusesASecondDerivativeInsteadOfCallingItZero) {
  const auto objective = make({});
  const Tensor x = nn::normal(kBatch, 6, {4, "x"}, torch::empty({0})).requires_grad_();
  const Tensor loss = objective->loss({x, x, x.flip(0)}, {});
  EXPECT_THROW(torch::autograd::grad({loss}, {x}, {}, true, /*create_graph=*/true), Error);
}

TEST(Contrastive, LeavesEmbeddingsThatAreTooWideToTheReferenceAndSaysSo) {
  expect_reference_with_note({.width = 1025}, "embeddings of 1025 dimensions");
}

TEST(Contrastive, LeavesAClampedDistanceToTheReferenceAndSaysSo) {
  expect_reference_with_note({.clamp = 1.5}, "objective.clamp");
}

}  // namespace
}  // namespace adassl::model
