#include <gtest/gtest.h>

#include "adassl/model/latents/sparse.h"
#include "adassl/model/latents/variational.h"
#include "adassl/nn/fused.h"
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

/// One draw with its gradients, with the same weights and noise each time.
template <class Part>
Drawn draw_with(nn::Kernels kernels) {
  const auto latent = std::make_shared<Part>(typename Part::Options{.dim = 5, .hidden = {}},
                                             LatentContext{.embedding = 4});
  nn::initialise(*latent, 1);
  const Tensor e = normal("e", 4).set_requires_grad(true);
  const Tensor helper = normal("helper", 4).set_requires_grad(true);
  const nn::WithKernels guard(kernels);
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

}  // namespace
}  // namespace adassl::model
