#include "adassl/nn/bf16_chain.h"

#include <gtest/gtest.h>

#include "adassl/kernels/threads.h"
#include "adassl/nn/mlp.h"
#include "adassl/nn/tensors.h"
#include "nn/rounding.h"
#include "support/error_message.h"

namespace adassl::nn {
namespace {

Tensor drawn(const std::string& purpose, int64_t rows, int64_t columns) {
  return normal(rows, columns, {4, purpose}, torch::empty({0}));
}

enum class Mode { kTraining, kEvaluation };

/// Its norms are none of a new one: without a shift a number that is its channel's mean, as it well
/// may be among a few rounded ones, would be on the edge of the ReLU. Nor are its running
/// statistics, when it does not train.
std::shared_ptr<Mlp> make(const MlpShape& shape, Mode mode = Mode::kTraining,
                          Precision precision = Precision::kBfloat16) {
  auto mlp =
      std::make_shared<Mlp>(shape, std::make_shared<Compute>(Compute{.precision = precision}));
  initialise(*mlp, 1);
  const torch::NoGradGuard no_grad;
  for (const auto& item : mlp->named_parameters()) {
    if (item.key().starts_with("norm")) {
      item.value().add_(drawn(item.key(), 1, item.value().size(0))[0], 0.2);
    }
  }
  if (mode == Mode::kTraining) return mlp;
  mlp->eval();
  for (const auto& item : mlp->named_buffers()) {
    item.value().add_(drawn(item.key(), 1, item.value().size(0))[0].abs(), 0.3);
  }
  return mlp;
}

/// In one piece or in several.
bool runs_in_bf16(const Tensor& y) {
  auto node = y.grad_fn();
  if (node && node->name() == "CatBackward0") node = node->next_edge(0).function;
  return node && node->name() == "Bf16Chain";
}

/// A network's parameters by its modules' names, in float64.
struct Parameters {
  explicit Parameters(Mlp& mlp) {
    mlp.to(torch::kFloat64);
    for (const auto& item : mlp.named_parameters()) values[item.key()] = item.value();
  }
  Tensor at(const std::string& name) const {
    const auto found = values.find(name);
    return found == values.end() ? Tensor() : found->second;
  }
  std::map<std::string, Tensor> values;
};

/// The network's definition in float64, rounded where ours is.
Tensor rounded_in_float64(Mlp& mlp, const Tensor& x) {
  const Parameters parameters(mlp);
  Tensor y = Round::apply(x, true);
  for (size_t i = 0;; ++i) {
    const std::string layer = std::to_string(i);
    const std::string linear = "linear" + layer;
    const bool last = i == mlp.shape().hidden.size();
    y = torch::matmul(y, rounded_weight(parameters.at(linear + ".weight")).t());
    y = Round::apply(y, true);
    if (const Tensor bias = parameters.at(linear + ".bias"); bias.defined()) y = y + bias;
    if (last) return y;
    if (mlp.shape().norm) {
      y = dynamic_cast<BatchNorm&>(*mlp.named_children()["norm" + layer]).forward(y);
    }
    y = Round::apply(y.relu(), true);
  }
}

struct Outcome {
  Tensor y;
  std::vector<Tensor> gradients;  // of x, then of the parameters
  std::vector<Tensor> buffers;
};

template <class Forward>
Outcome outcome(Mlp& mlp, Tensor x, const Forward& forward) {
  x = x.clone().set_requires_grad(true);
  Outcome out{forward(x), {}, mlp.buffers()};
  const Tensor weights = drawn("dy", out.y.size(0), out.y.size(1));
  (out.y * weights.to(out.y.dtype())).sum().backward();
  out.gradients.push_back(x.grad());
  for (const Tensor& p : mlp.parameters()) out.gradients.push_back(p.grad());
  return out;
}

Outcome ours(const MlpShape& shape, const Tensor& x, Mode mode = Mode::kTraining,
             Precision precision = Precision::kBfloat16) {
  const auto mlp = make(shape, mode, precision);
  return outcome(*mlp, x, [&](const Tensor& in) { return mlp->forward(in); });
}

Outcome theirs(const MlpShape& shape, const Tensor& x, Mode mode = Mode::kTraining) {
  const auto mlp = make(shape, mode);
  mlp->to(torch::kFloat64);
  return outcome(*mlp, x.to(torch::kFloat64),
                 [&](const Tensor& in) { return rounded_in_float64(*mlp, in); });
}

const MlpShape kPredictor{.in = 30, .hidden = {520, 513}, .out = 12, .norm = true};
const MlpShape kBiased{.in = 31, .hidden = {514}, .out = 3};

class Bf16Mlp : public ::testing::Test {
 protected:
  void SetUp() override {
    const Compute bf16{.precision = Precision::kBfloat16};
    if (!bf16.multiplies_in_bf16()) GTEST_SKIP() << "float32 is faster here";
  }
};

void expect_alike(const Outcome& ours, const Outcome& theirs) {
  ASSERT_TRUE(runs_in_bf16(ours.y));
  EXPECT_LT(apart(ours.y, theirs.y), 2e-3);
  ASSERT_EQ(ours.gradients.size(), theirs.gradients.size());
  for (size_t i = 0; i < ours.gradients.size(); ++i) {
    EXPECT_LT(apart(ours.gradients[i], theirs.gradients[i]), kAcrossLayers) << "gradient " << i;
  }
  ASSERT_EQ(ours.buffers.size(), theirs.buffers.size());
  for (size_t i = 0; i < ours.buffers.size(); ++i) {
    EXPECT_LT(apart(ours.buffers[i], theirs.buffers[i]), 1e-3) << "buffer " << i;
  }
}

TEST_F(Bf16Mlp, IsItsDefinitionInFloat64RoundedWhereOursIs) {
  const MlpShape shapes[] = {kPredictor,
                             kBiased,
                             {.in = 600, .hidden = {}, .out = 5},
                             {.in = 9, .hidden = {512}, .out = 7, .bias = false, .out_bias = false},
                             {.in = 20, .hidden = {2000}, .out = 4, .norm = true}};
  for (const MlpShape& shape : shapes) {
    SCOPED_TRACE(shape.hidden.empty() ? 0 : shape.hidden[0]);
    for (const int64_t rows : {1031, 600, 128, 67, 5}) {  // the first cannot be cut evenly
      SCOPED_TRACE(rows);
      const Tensor x = drawn("x", rows, shape.in);
      expect_alike(ours(shape, x), theirs(shape, x));
    }
  }
}

TEST_F(Bf16Mlp, GivesGradientsThroughRunningStatistics) {
  for (const int64_t rows : {128, 67, 1}) {
    SCOPED_TRACE(rows);
    const Tensor x = drawn("x", rows, kPredictor.in);
    expect_alike(ours(kPredictor, x, Mode::kEvaluation), theirs(kPredictor, x, Mode::kEvaluation));
  }
}

TEST_F(Bf16Mlp, GoesWhereFloat32Goes) {
  const Tensor x = drawn("x", 96, kPredictor.in);
  const Outcome in_bf16 = ours(kPredictor, x);
  const Outcome in_float32 = ours(kPredictor, x, Mode::kTraining, Precision::kFloat32);
  ASSERT_FALSE(runs_in_bf16(in_float32.y));
  EXPECT_LT(apart(in_bf16.y, in_float32.y), 1e-2);
  for (size_t i = 0; i < in_bf16.gradients.size(); ++i) {
    const Tensor cosine = torch::cosine_similarity(in_bf16.gradients[i].flatten(),
                                                   in_float32.gradients[i].flatten(), 0);
    EXPECT_GT(cosine.item<double>(), 0.99) << "gradient " << i;
  }
}

TEST_F(Bf16Mlp, MovesAndUsesTheRunningStatisticsOfFloat32) {
  const auto mlp = make(kPredictor);
  const auto other = make(kPredictor, Mode::kTraining, Precision::kFloat32);
  const Tensor x = drawn("x", 80, kPredictor.in);
  const torch::NoGradGuard no_grad;
  mlp->forward(x);
  other->forward(x);
  ASSERT_EQ(mlp->buffers().size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_LT(apart(mlp->buffers()[i], other->buffers()[i]), 3e-3) << i;
  }
  mlp->eval();
  other->eval();
  std::vector<Tensor> before;
  for (const Tensor& buffer : mlp->buffers()) before.push_back(buffer.clone());
  const Tensor in_bf16 = mlp->forward(x);
  EXPECT_LT(apart(in_bf16, other->forward(x)), 1e-2);
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(mlp->buffers()[i].equal(before[i])) << i;
}

TEST_F(Bf16Mlp, InfersManyRowsAsItDoesFew) {
  for (const MlpShape& shape : {kBiased, kPredictor}) {
    const auto mlp = make(shape);
    mlp->eval();
    const torch::NoGradGuard no_grad;
    const Tensor x = drawn("x", 8192 + 521, shape.in);
    const Tensor y = mlp->forward(x);
    EXPECT_TRUE(y.slice(0, 8192 + 512).equal(mlp->forward(x.slice(0, 8192 + 512))));
    EXPECT_TRUE(y.slice(0, 0, 64).equal(mlp->forward(x.slice(0, 0, 64))));
  }
}

TEST_F(Bf16Mlp, TakesTheStatisticsOfAWholeBatch) {
  const auto mlp = make(kPredictor);
  const auto other = make(kPredictor, Mode::kTraining, Precision::kFloat32);
  const Tensor x = drawn("x", 8320, kPredictor.in);
  const torch::NoGradGuard no_grad;
  const Tensor y = mlp->forward(x);
  EXPECT_LT(apart(y, other->forward(x)), 1e-2);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_LT(apart(mlp->buffers()[i], other->buffers()[i]), 3e-3) << i;
  }
}

TEST_F(Bf16Mlp, CutsRowsThatKnowNothingOfEachOther) {
  const auto biased = make(kBiased);
  const Tensor x = drawn("x", 1031, kBiased.in).set_requires_grad(true);
  biased->forward(x).sum().backward();
  const Tensor whole = x.grad().clone();
  const Tensor part = x.detach().slice(0, 1024).set_requires_grad(true);
  biased->forward(part).sum().backward();
  EXPECT_TRUE(part.grad().equal(whole.slice(0, 1024)));
}

TEST_F(Bf16Mlp, NormsEachViewAlone) {
  const auto mlp = make(kPredictor);
  const auto other = make(kPredictor);
  const Tensor a = drawn("a", 40, kPredictor.in);
  const Tensor b = drawn("b", 24, kPredictor.in) * 3;
  const auto both = mlp->forward(std::vector<Tensor>{a, b});
  EXPECT_TRUE(both[0].equal(other->forward(a)));
  EXPECT_TRUE(both[1].equal(other->forward(b)));
}

TEST_F(Bf16Mlp, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = kernels::threads();
  const Tensor x = drawn("x", 600, kPredictor.in);
  kernels::set_threads(1);
  const Outcome one = ours(kPredictor, x);
  for (const int threads : {2, 3}) {
    kernels::set_threads(threads);
    const Outcome many = ours(kPredictor, x);
    EXPECT_TRUE(many.y.equal(one.y));
    for (size_t i = 0; i < one.gradients.size(); ++i) {
      EXPECT_TRUE(many.gradients[i].equal(one.gradients[i])) << i;
    }
  }
  kernels::set_threads(before);
}

TEST_F(Bf16Mlp, LeavesNarrowOrLeakyNetworksInFloat32) {
  for (const MlpShape& shape : {MlpShape{.in = 20, .hidden = {256}, .out = 4, .norm = true},
                                MlpShape{.in = 20, .hidden = {600}, .out = 4, .slope = 0.01}}) {
    EXPECT_FALSE(runs_in_bf16(make(shape)->forward(drawn("x", 16, shape.in))));
  }
}

TEST_F(Bf16Mlp, KeepsHalfOfWhatFloat32Keeps) {
  const MlpShape shape{.in = 600, .hidden = {512, 1024}, .out = 10, .norm = true};
  const Footprint bf16 = make(shape)->footprint();
  EXPECT_EQ(bf16.kept, (600 + 512 + 1024 + 10) / 2 + 10);
  EXPECT_EQ(bf16.working, (512 + 1024) / 2);
  const auto float32 = [](const MlpShape& of) {
    return make(of, Mode::kTraining, Precision::kFloat32)->footprint();
  };
  EXPECT_LT(2 * bf16.kept, float32(shape).kept);
  const MlpShape narrow{.in = 3, .hidden = {8}, .out = 2};
  EXPECT_EQ(make(narrow)->footprint().kept, float32(narrow).kept);
}

TEST_F(Bf16Mlp, RefusesToTrainANormOnOneRowBeforeItMoves) {
  BatchNorm norm(3);
  const ChainLayer layer{
      {.images = 1, .height = 1, .width = 1, .in = 2, .out = 3}, torch::ones({3, 2}), &norm};
  EXPECT_EQ(testing::error_of([&] {
              bf16_chain(torch::ones({1, 2}), {layer}, ChainEnd::kPooled);
            }),
            "[bf16] layer 0 has a norm: to train it expects two rows or more, got one");
  EXPECT_TRUE(norm.running_var.equal(torch::ones({3})));
}

TEST_F(Bf16Mlp, GivesFrozenWeightsNoGradient) {
  const auto mlp = make(kBiased);
  mlp->parameters()[0].set_requires_grad(false);
  const Tensor x = drawn("x", 16, kBiased.in).set_requires_grad(true);
  mlp->forward(x).square().sum().backward();
  EXPECT_FALSE(mlp->parameters()[0].grad().defined());
  EXPECT_GT(mlp->parameters()[1].grad().norm().item<double>(), 0);
  EXPECT_GT(x.grad().norm().item<double>(), 0);
}

TEST_F(Bf16Mlp, LeavesWhatIsNotAMatrixOfItsWidthToLibTorch) {
  const auto mlp = make(kBiased);
  EXPECT_ANY_THROW(mlp->forward(drawn("x", 16, kBiased.in + 1)));
  EXPECT_EQ(mlp->forward(torch::empty({0, kBiased.in})).size(0), 0);
}

}  // namespace
}  // namespace adassl::nn
