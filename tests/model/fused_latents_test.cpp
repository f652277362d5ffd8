#include <gtest/gtest.h>

#include "adassl/model/latents/sparse.h"
#include "adassl/model/latents/variational.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

struct Drawn {
  Draw draw;
  std::vector<Tensor> gradients;  // of e, the helper and all parameters
};

Tensor normal(const char* purpose, int64_t columns) {
  return nn::normal(64, columns, {1, purpose}, torch::empty({0}));
}

nn::ComputePtr compute_by(nn::Kernels kernels) {
  return std::make_shared<nn::Compute>(nn::Compute{.kernels = kernels});
}

/// One draw with its gradients, with the same weights and noise each time.
template <class Part>
Drawn draw_with(nn::Kernels kernels) {
  const auto latent =
      std::make_shared<Part>(typename Part::Options{.dim = 5, .hidden = {}},
                             LatentContext{.embedding = 4, .compute = compute_by(kernels)});
  nn::initialise(*latent, 1);
  const Tensor e = normal("e", 4).set_requires_grad(true);
  const Tensor helper = normal("helper", 4).set_requires_grad(true);
  Drawn out{latent->infer({e, helper, {}}, {1, "noise"}), {}};
  ((out.draw.r * normal("dr", 5)).sum() + (out.draw.cost * normal("dcost", 5)).sum()).backward();
  out.gradients = {e.grad(), helper.grad()};
  for (const Tensor& parameter : latent->parameters()) out.gradients.push_back(parameter.grad());
  return out;
}

/// Relative to the norm: the networks before the draw round in their own ways too.
void expect_close(const Tensor& ours, const Tensor& reference, double tolerance) {
  const double norm = reference.detach().norm().item<double>();
  EXPECT_LE((ours - reference).detach().norm().item<double>(), tolerance * norm);
}

template <class Part>
class FusedLatent : public testing::Test {};
using Parts = testing::Types<Variational, Sparse>;
TYPED_TEST_SUITE(FusedLatent, Parts);

TYPED_TEST(FusedLatent, EqualsTheReferenceInValueAndGradient) {
  const Drawn fused = draw_with<TypeParam>(nn::Kernels::kFused);
  const Drawn reference = draw_with<TypeParam>(nn::Kernels::kReference);
  expect_close(fused.draw.r, reference.draw.r, 1e-6);
  expect_close(fused.draw.cost, reference.draw.cost, 1e-6);
  EXPECT_EQ(fused.draw.gates.defined(), reference.draw.gates.defined());
  if (fused.draw.gates.defined()) {
    EXPECT_TRUE(torch::equal(fused.draw.gates, reference.draw.gates));
  }
  ASSERT_EQ(fused.gradients.size(), reference.gradients.size());
  for (size_t i = 0; i < fused.gradients.size(); ++i) {
    SCOPED_TRACE(i);
    expect_close(fused.gradients[i], reference.gradients[i], 1e-5);
  }
}

TYPED_TEST(FusedLatent, RunsByItsOwnKernels) {
  const Drawn fused = draw_with<TypeParam>(nn::Kernels::kFused);
  const Drawn reference = draw_with<TypeParam>(nn::Kernels::kReference);
  EXPECT_NE(fused.draw.r.grad_fn()->name(), reference.draw.r.grad_fn()->name());
}

/// Two directions, in one pass or one after the other; then what the BatchNorms have seen.
template <class Part>
std::vector<Tensor> both_directions(nn::Kernels kernels, bool at_once) {
  const auto latent =
      std::make_shared<Part>(typename Part::Options{.dim = 5, .hidden = {8}},
                             LatentContext{.embedding = 4, .compute = compute_by(kernels)});
  nn::initialise(*latent, 1);
  const std::vector<Evidence> evidence = {{normal("e", 4), normal("helper", 4), {}},
                                          {normal("e+", 4), normal("mirror", 4), {}}};
  const std::vector<random::Stream> noise = {{1, "forward"}, {1, "backward"}};
  const std::vector<Draw> draws = at_once ? latent->infer_all(evidence, noise)
                                          : std::vector<Draw>{latent->infer(evidence[0], noise[0]),
                                                              latent->infer(evidence[1], noise[1])};
  std::vector<Tensor> out;
  for (const Draw& draw : draws) out.insert(out.end(), {draw.r, draw.cost});
  for (const Tensor& buffer : latent->buffers()) out.push_back(buffer);
  return out;
}

TYPED_TEST(FusedLatent, TakesTwoDirectionsAtOnceAsItTakesThemOneByOne) {
  for (const nn::Kernels kernels : {nn::Kernels::kFused, nn::Kernels::kReference}) {
    const auto at_once = both_directions<TypeParam>(kernels, true);
    const auto one_by_one = both_directions<TypeParam>(kernels, false);
    ASSERT_EQ(at_once.size(), one_by_one.size());
    for (size_t i = 0; i < at_once.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_TRUE(torch::equal(at_once[i], one_by_one[i]));
    }
  }
}

}  // namespace
}  // namespace adassl::model
