#include "adassl/kernels/contrastive.h"

#include "kernels/contrastive_case.h"

namespace adassl::kernels {
namespace {

TEST(Contrastive, IsLogNWhenAllEmbeddingsCoincide) {
  Case c;
  c.problem.rows = 100;
  c.problem.width = 7;
  c.q.assign(700, 1.0F);
  c.targets.assign(700, 1.0F);
  c.concentration = {1.0F};
  c.point();
  EXPECT_NEAR(fused(c).loss, std::log(100.0), 1e-6);
}

TEST(Contrastive, IsZeroForASinglePair) {
  Case c;
  c.problem.rows = 1;
  c.problem.width = 3;
  c.q = {1, 2, 3};
  c.targets = {3, 2, 1};
  c.concentration = {2.0F};
  c.point();
  const Answer answer = fused(c);
  EXPECT_EQ(answer.loss, 0);
  EXPECT_EQ(answer.q, std::vector<float>(3, 0.0F));
}

TEST(Contrastive, EqualsItsDefinitionInValueAndGradient) {
  ContrastiveWorkspace workspace;  // shared, to show that a case does not affect the next one
  for (int seed = 0; seed < cases(400); ++seed) {
    const Case c = random_case(seed);
    expect_exact(c, fused(c, workspace));
    if (HasFailure()) break;
  }
}

TEST(Contrastive, EqualsItsDefinitionOverSeveralBands) {
  for (const int64_t rows : {193, 700, 1025}) {
    Draws draw(static_cast<int>(rows));
    Case c;
    c.problem.rows = rows;
    c.problem.width = 11;
    c.problem.tau = 0.1F;
    c.q = draw.normals(rows * 11);
    c.targets = draw.normals(rows * 11);
    c.own = draw.normals(rows * 11);
    c.concentration = {1.3F};
    c.what = "N " + std::to_string(rows);
    c.point();
    expect_exact(c, fused(c));
  }
}

TEST(Contrastive, HoldsForLogitsOfTenThousand) {
  for (int seed = 0; seed < 20; ++seed) {
    Draws draw(seed);
    Case c;
    c.problem.rows = draw.integer(2, 150);
    c.problem.width = draw.integer(2, 20);
    c.problem.hypersphere = false;
    const int64_t count = c.problem.rows * c.problem.width;
    const double scale = std::sqrt(1e4 / 6 / static_cast<double>(c.problem.width));
    c.q = draw.normals(count, scale);
    c.targets = draw.normals(count, scale);
    c.concentration = {1.0F};
    c.what = "seed " + std::to_string(seed);
    c.point();
    expect_exact(c, fused(c));
  }
}

TEST(Contrastive, HoldsForAScaleOfAThousandOnUnitVectors) {
  for (int seed = 0; seed < 20; ++seed) {
    Draws draw(seed);
    Case c;
    c.problem.rows = draw.integer(2, 150);
    c.problem.width = draw.integer(2, 20);
    c.problem.tau = seed % 3 == 0 ? 0.1F : 1.0F;
    c.problem.cosine = seed % 2 == 0;
    const int64_t count = c.problem.rows * c.problem.width;
    c.q = draw.normals(count);
    c.targets = draw.normals(count);
    c.concentration = {1000.0F};
    c.what = "seed " + std::to_string(seed);
    c.point();
    expect_exact(c, fused(c));
  }
}

TEST(Contrastive, KeepsItsGradientWhenTheLossIsNearlyZero) {
  Draws draw(5);
  Case c;
  c.problem.rows = 64;
  c.problem.width = 32;
  c.problem.tau = 0.05F;
  c.q = draw.normals(64 * 32);
  c.targets = c.q;
  c.concentration = {1.0F};
  c.point();
  const Answer answer = fused(c);
  const Exact truth = exact(c);
  ASSERT_LT(truth.loss, 1e-4);
  EXPECT_LT(std::abs(answer.loss / truth.loss - 1), 1e-4);
  EXPECT_LT(relative_error(answer.q, truth.q), 1e-4);
}

TEST(Contrastive, IsNotFiniteWhenAnEmbeddingIsNot) {
  Case c = random_case(9);
  c.q[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(std::isfinite(fused(c).loss));
  Case further;
  further.problem.rows = 5;
  further.problem.width = 3;
  further.q = further.targets = further.own = Draws(1).normals(15);
  further.concentration = {1};
  further.own[0] = std::numeric_limits<float>::quiet_NaN();
  further.point();
  EXPECT_FALSE(std::isfinite(fused(further).loss));
  Case other = random_case(9);
  other.targets[0] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(std::isfinite(fused(other).loss));
}

TEST(Contrastive, HasTheSameBitsForAnyNumberOfThreads) {
  for (const int64_t rows : {1, 65, 500, 1111}) {
    Draws draw(3);
    Case c;
    c.problem.rows = rows;
    c.problem.width = 11;
    c.q = draw.normals(rows * 11);
    c.targets = draw.normals(rows * 11);
    c.own = draw.normals(rows * 11);
    c.problem.weights = Weights::kDimensions;
    c.concentration.assign(11, 1.5F);
    c.point();
    expect_same_bits_for_any_threads([&] { return fused(c); });
  }
}

TEST(Contrastive, WithoutGradientsHasTheSameLoss) {
  for (int seed = 0; seed < 50; ++seed) {
    const Case c = random_case(seed);
    ContrastiveWorkspace workspace;
    EXPECT_EQ(contrastive(c.problem, nullptr, workspace), fused(c).loss) << c.what;
  }
}

TEST(Softmax, NeedsMemoryForRowsNotForPairs) {
  constexpr int64_t kRows = 8192;
  Draws draw(1);
  const std::vector<float> q = draw.normals(kRows * 8);
  std::vector<float> gradient(kRows * 8);
  SoftmaxWorkspace workspace;
  softmax_cross_entropy({.rows = kRows, .columns = kRows, .width = 8, .q = q.data(), .k = q.data()},
                        {.q = gradient.data()}, workspace);
  EXPECT_LT(workspace.bytes(), kRows * kRows * 4 / 32);
}

}  // namespace
}  // namespace adassl::kernels
