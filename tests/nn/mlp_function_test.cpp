#include "adassl/nn/mlp_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/nn/mlp.h"
#include "adassl/nn/tensors.h"
#include "support/error_message.h"

namespace adassl::nn {
namespace {

using Tensors = std::vector<Tensor>;

Tensor drawn(const std::string& purpose, int64_t rows, int64_t columns) {
  return normal(rows, columns, {3, purpose}, torch::empty({0}));
}
Tensor leaf(const Tensor& values) { return values.clone().set_requires_grad(true); }

std::shared_ptr<Mlp> make(const MlpShape& shape, torch::ScalarType type = torch::kFloat32,
                          const ComputePtr& compute = default_compute()) {
  auto mlp = std::make_shared<Mlp>(shape, compute);
  initialise(*mlp, 1);
  mlp->to(type);
  return mlp;
}

const std::string kFused = "MlpBackward";
bool runs_fused(const Tensor& y) { return y.grad_fn() && y.grad_fn()->name() == kFused; }

/// Through which every output has a gradient of its own.
Tensor loss_of(const Tensors& y) {
  Tensor sum;
  for (size_t v = 0; v < y.size(); ++v) {
    const Tensor weights = drawn("dy" + std::to_string(v), y[v].size(0), y[v].size(1));
    const Tensor term = (y[v] * weights.to(y[v].scalar_type())).sum();
    sum = sum.defined() ? sum + term : term;
  }
  return sum;
}

/// What one forward and backward pass leaves: outputs, gradients, running statistics.
struct Pass {
  Tensors y, gradients, buffers;
};

Pass pass_of(Mlp& mlp, Tensors views) {
  const torch::ScalarType type = mlp.parameters()[0].scalar_type();
  for (Tensor& view : views) view = leaf(view.to(type));
  Pass out{mlp.forward(views), {}, {}};
  loss_of(out.y).backward();
  for (const Tensor& view : views) out.gradients.push_back(view.grad());
  for (const Tensor& p : mlp.parameters()) out.gradients.push_back(p.grad());
  out.buffers = mlp.buffers();
  return out;
}

void expect_close(const Tensors& ours, const Tensors& exact, double tolerance) {
  ASSERT_EQ(ours.size(), exact.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    const Tensor right = exact[i].detach();
    EXPECT_LE((ours[i].detach() - right).norm().item<double>(),
              tolerance * right.norm().item<double>())
        << "tensor " << i;
  }
}

void expect_equal(const Tensors& ours, const Tensors& others) {
  ASSERT_EQ(ours.size(), others.size());
  for (size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(torch::equal(ours[i], others[i])) << i;
}

const MlpShape kPlain{.in = 7, .hidden = {20, 33}, .out = 5, .slope = 0.2};
const MlpShape kNormed{.in = 7, .hidden = {20, 33}, .out = 5, .norm = true, .slope = 0.01};

TEST(FusedMlp, EqualsTheSameModuleInDouble) {
  const MlpShape shapes[] = {
      kPlain,
      kNormed,
      {.in = 3, .hidden = {}, .out = 4},
      {.in = 3, .hidden = {}, .out = 1, .out_bias = false},
      {.in = 1, .hidden = {1, 6, 6}, .out = 1, .slope = 1},
      {.in = 10, .hidden = {100, 100, 100}, .out = 11, .slope = 0.01},
      {.in = 10, .hidden = {40}, .out = 11, .bias = false, .out_bias = false},
      {.in = 10, .hidden = {1024}, .out = 3, .slope = 0.5},
  };
  for (const MlpShape& shape : shapes) {
    SCOPED_TRACE(join(shape.in, " - ", shape.hidden.size(), " hidden - ", shape.out));
    const Tensors views = {drawn("a", 65, shape.in), drawn("b", 64, shape.in),
                           drawn("c", 9, shape.in)};
    const Pass fused = pass_of(*make(shape), views);
    const Pass exact = pass_of(*make(shape, torch::kFloat64), views);
    EXPECT_TRUE(runs_fused(fused.y[0]));
    EXPECT_FALSE(runs_fused(exact.y[0]));
    expect_close(fused.y, exact.y, 1e-5);
    expect_close(fused.gradients, exact.gradients, 1e-5);
    expect_close(fused.buffers, exact.buffers, 1e-5);
  }
}

TEST(FusedMlp, GivesSeveralViewsWhatTheyGetOneByOne) {
  const Tensors views = {drawn("a", 65, 7), drawn("b", 2, 7), drawn("c", 200, 7)};
  const auto together = make(kNormed);
  const auto alone = make(kNormed);
  const Tensors y = together->forward(views);
  for (size_t v = 0; v < views.size(); ++v) {
    EXPECT_TRUE(torch::equal(y[v], alone->forward(views[v])));
  }
  expect_equal(together->buffers(), alone->buffers());
}

TEST(FusedMlp, KeepsTheRunningStatisticsOfTheReference) {
  const auto fused = make(kNormed);
  const auto reference = make(kNormed, torch::kFloat32, reference_compute());
  for (int step = 0; step < 5; ++step) {
    const Tensors views = {drawn(join("a", step), 65, 7), drawn(join("b", step), 30, 7)};
    const torch::NoGradGuard no_grad;
    fused->forward(views);
    reference->forward(views);
  }
  expect_close(fused->buffers(), reference->buffers(), 1e-5);
}

TEST(FusedMlp, InfersAnyNumberOfRows) {
  for (const MlpShape& shape : {kPlain, kNormed}) {
    const ComputePtr compute = default_compute();
    const auto mlp = make(shape, torch::kFloat32, compute);
    mlp->forward(drawn("a", 300, 7));  // statistics to use below
    mlp->eval();
    const torch::NoGradGuard no_grad;
    for (const int64_t rows : {1, 8192, 8193, 20'000}) {
      compute->kernels = Kernels::kFused;
      const Tensor x = drawn("x", rows, 7);
      const Tensor y = mlp->forward(x);
      EXPECT_FALSE(y.requires_grad());
      EXPECT_TRUE(torch::equal(y.slice(0, rows - 1), mlp->forward(x.slice(0, rows - 1))));
      compute->kernels = Kernels::kReference;
      expect_close({y}, {mlp->forward(x)}, 1e-5);
    }
  }
}

TEST(FusedMlp, InTrainingWithoutGradientsHasTheSameOutputsAndStatistics) {
  const auto with = make(kNormed);
  const auto without = make(kNormed);
  const Tensors views = {drawn("a", 65, 7), drawn("b", 30, 7)};
  const Tensors y = with->forward(views);
  const torch::NoGradGuard no_grad;
  expect_equal(without->forward(views), y);
  expect_equal(without->buffers(), with->buffers());
}

TEST(FusedMlp, InEvaluationHasTheGradientsOfTheModuleInDouble) {
  for (const MlpShape& shape : {kPlain, kNormed}) {
    const auto fused = make(shape);
    const auto exact = make(shape, torch::kFloat64);
    fused->eval();
    exact->eval();
    const Tensors views = {drawn("a", 65, 7)};
    const Pass ours = pass_of(*fused, views);
    const Pass right = pass_of(*exact, views);
    EXPECT_EQ(runs_fused(ours.y[0]), !shape.norm);  // with running statistics: the reference
    expect_close(ours.y, right.y, 1e-5);
    expect_close(ours.gradients, right.gradients, 1e-5);
  }
}

TEST(FusedMlp, RefusesGradientsThroughRunningStatistics) {
  MlpTensors layer;
  layer.weight = leaf(drawn("weight", 3, 4));
  layer.gain = torch::ones({3});
  MlpMemory memory;
  EXPECT_EQ(adassl::testing::error_of(
                [&] { mlp_function({layer}, {drawn("x", 5, 4)}, /*training=*/false, memory); }),
            "[mlp] the kernels have no gradient through running statistics");
}

TEST(FusedMlp, LeavesALayerThatIsTooWideToTheReferenceAndSaysSoOnce) {
  const ComputePtr compute = default_compute();
  const int64_t wide = kernels::MlpPass::kWidest + 1;
  const auto mlp = make({.in = 4, .hidden = {wide}, .out = 2}, torch::kFloat32, compute);
  for (int step = 0; step < 3; ++step) {
    EXPECT_FALSE(runs_fused(mlp->forward(drawn("a", 5, 4))));
  }
  const auto& notes = compute->fallbacks;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], ::testing::HasSubstr(std::to_string(wide)));
  EXPECT_THAT(notes[0], ::testing::HasSubstr("takes the reference path"));
}

TEST(FusedMlp, RefusesRowsOfAnotherWidth) {
  const auto mlp = make(kPlain);
  EXPECT_ANY_THROW(mlp->forward(drawn("a", 5, 6)));
  EXPECT_ANY_THROW(mlp->forward(drawn("a", 5, 8)));
}

TEST(FusedMlp, TakesWhatItsModuleTakes) {
  const auto mlp = make(kPlain);
  const Tensor wide = drawn("a", 12, 14);
  const Tensor strided = wide.slice(1, 0, 7);
  EXPECT_TRUE(torch::equal(mlp->forward(strided), mlp->forward(strided.contiguous())));
  EXPECT_EQ(mlp->forward(torch::empty({0, 7})).size(0), 0);
  EXPECT_TRUE(torch::allclose(mlp->forward(strided.view({3, 4, 7})).view({12, 5}),
                              mlp->forward(strided), 1e-5, 1e-6));
}

TEST(FusedMlp, SendsGradientOnlyWhereItIsWanted) {
  const auto mlp = make(kPlain);
  mlp->named_parameters()["linear1.weight"].set_requires_grad(false);
  const Tensors views = {leaf(drawn("a", 65, 7)), drawn("b", 30, 7)};
  loss_of(mlp->forward(views)).backward();
  EXPECT_TRUE(views[0].grad().defined());
  EXPECT_FALSE(views[1].grad().defined());
  for (const auto& item : mlp->named_parameters()) {
    EXPECT_EQ(item.value().grad().defined(), item.key() != "linear1.weight") << item.key();
  }
}

TEST(FusedMlp, AddsNothingForAViewThatTheLossDoesNotSee) {
  const auto both = make(kNormed);
  const auto one = make(kNormed);
  const Tensor a = drawn("a", 65, 7);
  loss_of({both->forward({a, drawn("b", 30, 7)})[0]}).backward();
  loss_of({one->forward(a)}).backward();
  for (size_t i = 0; i < one->parameters().size(); ++i) {
    EXPECT_TRUE(
        torch::allclose(both->parameters()[i].grad(), one->parameters()[i].grad(), 1e-4, 1e-5))
        << i;
  }
}

TEST(FusedMlp, TakesAGradientThatIsExpandedInsteadOfStored) {
  const auto fused = make(kPlain);
  const auto exact = make(kPlain, torch::kFloat64);
  const Tensor x = drawn("a", 65, 7);
  fused->forward(x).sum().backward();
  exact->forward(x.to(torch::kFloat64)).sum().backward();
  expect_close({fused->parameters()[0].grad()}, {exact->parameters()[0].grad()}, 1e-5);
}

TEST(FusedMlp, RefusesToGiveOneGradientTwice) {
  const auto mlp = make(kPlain);
  const Tensor loss = loss_of({mlp->forward(drawn("a", 65, 7))});
  loss.backward({}, /*retain_graph=*/true);
  EXPECT_ANY_THROW(loss.backward());
}

TEST(FusedMlp, RefusesASecondDerivativeInsteadOfCallingItZero) {
  const auto mlp = make(kPlain);
  const Tensor x = leaf(drawn("a", 65, 7));
  const Tensor loss = mlp->forward(x).square().sum();
  EXPECT_ANY_THROW(torch::autograd::grad({loss}, {x}, {}, true, /*create_graph=*/true));
}

TEST(FusedMlp, HoldsSeveralPassesAtATimeInAnyOrder) {
  const Tensors inputs = {drawn("a", 65, 7), drawn("b", 300, 7), drawn("c", 3, 7)};
  std::vector<Tensors> expected;
  for (const Tensor& x : inputs) expected.push_back(pass_of(*make(kPlain), {x}).gradients);
  for (const std::vector<size_t>& order : {std::vector<size_t>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    const auto mlp = make(kPlain);
    Tensors x, losses;
    for (const Tensor& values : inputs) {
      x.push_back(leaf(values));
      losses.push_back(loss_of({mlp->forward(x.back())}));
    }
    for (const size_t i : order) {
      mlp->zero_grad();
      losses[i].backward();
      Tensors gradients = {x[i].grad()};
      for (const Tensor& p : mlp->parameters()) gradients.push_back(p.grad());
      expect_equal(gradients, expected[i]);
    }
  }
}

TEST(MlpMemory, IsUsedAgainWhenNoGraphHoldsIt) {
  MlpMemory memory;
  const MlpTensors layer{leaf(drawn("w", 3, 7)), {}, {}, {}, {}, {}};
  const auto forward = [&] { return mlp_function({layer}, {drawn("a", 5, 7)}, true, memory)[0]; };
  const kernels::MlpPass* first = memory.pass().get();
  Tensor y = forward();
  EXPECT_NE(memory.pass().get(), first);
  y.reset();  // a graph that nobody went back through
  EXPECT_EQ(memory.pass().get(), first);
  y = forward();
  y.sum().backward();
  EXPECT_EQ(memory.pass().get(), first);
}

}  // namespace
}  // namespace adassl::nn
