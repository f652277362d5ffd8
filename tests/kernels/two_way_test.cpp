#include <optional>

#include "adassl/kernels/contrastive.h"
#include "kernels/contrastive_case.h"

namespace adassl::kernels {
namespace {

/// The mean of the results of both directions, with the operands in the order of the first.
Exact mean_of_both(const Case& c) {
  Case mirrored = c;
  std::swap(mirrored.q, mirrored.targets);
  mirrored.point();
  Exact out = exact(c);
  const Exact back = exact(mirrored);
  const auto join = [](std::vector<double>& a, const std::vector<double>& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] = (a[i] + b[i]) / 2;
  };
  out.loss = (out.loss + back.loss) / 2;
  join(out.q, back.targets);
  join(out.targets, back.q);
  join(out.concentration, back.concentration);
  join(out.q_size, back.targets_size);
  join(out.targets_size, back.q_size);
  join(out.concentration_size, back.concentration_size);
  return out;
}

std::optional<Answer> two_way(const Case& c, ContrastiveWorkspace& workspace) {
  Answer out;
  out.q.resize(c.q.size());
  out.targets.resize(c.targets.size());
  out.concentration.resize(c.concentration.size());
  const ContrastiveGradients gradients{out.q.data(), out.targets.data(), nullptr,
                                       out.concentration.data()};
  const auto loss = contrastive_two_way(c.problem, &gradients, workspace);
  if (!loss) return {};
  out.loss = *loss;
  return out;
}

TEST(TwoWayContrastive, IsTheMeanOfBothDirections) {
  ContrastiveWorkspace workspace;
  int answered = 0;
  for (int seed = 0; seed < cases(300); ++seed) {
    Case c = random_case(seed);
    c.own.clear();
    c.point();
    const bool shares_a_matrix = !c.problem.cosine && c.problem.weights != Weights::kRows;
    const auto answer = two_way(c, workspace);
    if (!shares_a_matrix) {
      EXPECT_FALSE(answer) << c.what;
      continue;
    }
    ASSERT_TRUE(answer) << c.what;
    ++answered;
    expect_equal(c, *answer, mean_of_both(c));
    EXPECT_EQ(contrastive_two_way(c.problem, nullptr, workspace), answer->loss) << c.what;
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 50);
}

TEST(TwoWayContrastive, DeclinesWhereNothingIsNear) {
  Case c;
  c.problem.rows = 2;
  c.problem.width = 1;
  c.problem.hypersphere = false;
  c.q = {0, 0};
  c.targets = {20, 20};
  c.concentration = {0.2F};  // all logits are -80, so that every e^s is tiny
  c.point();
  ContrastiveWorkspace workspace;
  EXPECT_FALSE(two_way(c, workspace));
  c.concentration = {0.1F};
  EXPECT_TRUE(two_way(c, workspace));
}

TEST(TwoWayContrastive, HoldsForAPositiveThatIsFarAway) {
  Case c;
  c.problem.rows = 2;
  c.problem.width = 1;
  c.problem.hypersphere = false;
  c.q = {-14, 14};
  c.targets = {14, -14};  // the nearest target of each row belongs to the other row
  c.concentration = {1};
  c.what = "crossed pairs";
  c.point();
  ContrastiveWorkspace workspace;
  const auto answer = two_way(c, workspace);
  ASSERT_TRUE(answer);
  EXPECT_NEAR(answer->loss, 784, 1e-3);
  expect_equal(c, *answer, mean_of_both(c));
}

TEST(TwoWayContrastive, IsAsExactAsItsLogitsWhereTheyAreLarge) {
  ContrastiveWorkspace workspace;
  int answered = 0;
  for (int seed = 0; seed < 100; ++seed) {
    Draws draw(seed);
    Case c;
    c.problem.rows = draw.integer(2, 100);
    c.problem.width = draw.integer(1, 12);
    c.q = draw.normals(c.problem.rows * c.problem.width);
    c.targets = draw.normals(c.problem.rows * c.problem.width);
    c.concentration = {static_cast<float>(draw.uniform(25, 250))};  // logits from 100 to 1000
    c.point();
    const auto answer = two_way(c, workspace);
    if (!answer) continue;
    ++answered;
    const Exact truth = mean_of_both(c);
    EXPECT_NEAR(answer->loss, truth.loss, 1e-5 * std::max(truth.loss, 1.0)) << seed;
    EXPECT_LT(relative_error(answer->q, truth.q, 0.1 * norm_of(truth.q_size)), 3e-4) << seed;
  }
  EXPECT_GT(answered, 10);
}

TEST(TwoWayContrastive, HasTheSameBitsForAnyNumberOfThreads) {
  for (const int64_t rows : {1, 65, 700}) {
    Draws draw(3);
    Case c;
    c.problem.rows = rows;
    c.problem.width = 11;
    c.q = draw.normals(rows * 11);
    c.targets = draw.normals(rows * 11);
    c.problem.weights = Weights::kDimensions;
    c.concentration.assign(11, 1.5F);
    c.point();
    expect_same_bits_for_any_threads([&] {
      ContrastiveWorkspace workspace;
      return two_way(c, workspace);
    });
  }
}

}  // namespace
}  // namespace adassl::kernels
