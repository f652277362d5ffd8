#include "adassl/evaluation/cross_validation.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/evaluation/inferred_r.h"
#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

using testing::draws;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;

TEST(GroupFolds, KeepGroupsTogetherAndFoldsEven) {
  std::vector<int64_t> groups;
  for (int64_t group = 0; group < 10; ++group) groups.insert(groups.end(), 6, group);
  const auto folds = group_folds(groups, 5, {1, "folds"});
  std::map<int64_t, int64_t> fold_of, sizes;
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto [known, is_new] = fold_of.emplace(groups[i], folds[i]);
    EXPECT_EQ(known->second, folds[i]) << "group " << groups[i];
    ++sizes[folds[i]];
  }
  ASSERT_EQ(sizes.size(), 5U);
  for (const auto& [fold, size] : sizes) EXPECT_EQ(size, 12) << "fold " << fold;
}

TEST(GroupFolds, TreatANegativeGroupAsASampleOnItsOwn) {
  const auto folds = group_folds(std::vector<int64_t>(9, -1), 3, {1, "folds"});
  for (int64_t fold = 0; fold < 3; ++fold) EXPECT_EQ(std::ranges::count(folds, fold), 3);
}

TEST(GroupFolds, NeedAsManyGroupsAsFolds) {
  try {
    group_folds({0, 0, 1, 1}, 3, {1, "folds"});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("at least 3 groups for 3 folds, got 2"));
  }
}

std::vector<int64_t> folds_of(int64_t count) {
  return group_folds(std::vector<int64_t>(static_cast<size_t>(count), -1), 4, {1, "folds"});
}

TEST(CrossValidation, FindsAClassThatIsThereAndNoneThatIsNot) {
  const Tensor x = draws(400, 3, "x");
  const Tensor there = (x.select(1, 0) > 0).to(torch::kFloat32);
  const CrossValidated found = cross_validate(x, there, 2, folds_of(400), 9);
  ASSERT_EQ(found.linear.size(), 4U);
  EXPECT_THAT(found.linear, Each(Gt(0.95)));
  EXPECT_THAT(found.knn, Each(Gt(0.8)));
  EXPECT_NEAR(found.chance, 0.5, 0.1);
  const Tensor absent = (draws(400, 1, "other").select(1, 0) > 0).to(torch::kFloat32);
  const CrossValidated nothing = cross_validate(x, absent, 2, folds_of(400), 9);
  EXPECT_THAT(nothing.linear, Each(Lt(0.66)));
  EXPECT_THAT(nothing.knn, Each(Lt(0.66)));
}

TEST(CrossValidation, ScoresAGroupThatItNeverSaw) {
  // Each group has a code and a label of its own that no other group tells anything about.
  std::vector<int64_t> groups;
  for (int64_t group = 0; group < 40; ++group) groups.insert(groups.end(), 10, group);
  const Tensor codes = draws(40, 64, "codes").repeat_interleave(10, 0);
  const Tensor labels =
      (draws(40, 1, "labels").select(1, 0) > 0).to(torch::kFloat32).repeat_interleave(10);
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  const auto leaking = cross_validate(codes, labels, 2, folds_of(400), 5);
  const auto held_out = cross_validate(codes, labels, 2, group_folds(groups, 4, {1, "folds"}), 5);
  EXPECT_GT(mean(leaking.linear), 0.99);
  EXPECT_LT(mean(held_out.linear), 0.75);
}

TEST(CrossValidation, GivesR2OfNumbers) {
  const Tensor x = draws(300, 2, "x");
  const Tensor sum = (2 * x.select(1, 0) - x.select(1, 1) + 3).to(torch::kFloat32);
  const CrossValidated found = cross_validate(x, sum, 0, folds_of(300), 9);
  EXPECT_THAT(found.linear, Each(Gt(0.999)));
  EXPECT_TRUE(found.knn.empty());
}

TEST(CrossValidation, GivesOneR2OfAnAngle) {
  const Tensor angle = 3 * draws(300, 1, "angle").select(1, 0);  // many turns
  const Tensor circle = torch::stack({angle.cos(), angle.sin()}, 1);
  EXPECT_THAT(cross_validate(circle, circle, 0, folds_of(300), 9).linear, Each(Gt(0.999)));
  const Tensor half = circle.narrow(1, 0, 1);  // the cosine is half of it
  const CrossValidated found = cross_validate(half, circle, 0, folds_of(300), 9);
  EXPECT_THAT(found.linear, Each(Lt(0.65)));
  EXPECT_THAT(found.linear, Each(Gt(0.35)));
}

TEST(DistanceOfChanges, CountsInDeviationsAndLeavesOutWhatDoesNotVary) {
  const auto options = torch::dtype(torch::kFloat64);
  const Tensor r = torch::tensor({{-2.0, 10.0, 7.0}, {2.0, 30.0, 7.0}}, options);
  const Tensor one = torch::tensor({0.0, 10.0, 999.0}, options);
  const Tensor distances = distance_of_changes(r, one);  // deviations: 2, 10, 0
  EXPECT_NEAR(distances[0].item<double>(), 1, 1e-12);
  EXPECT_NEAR(distances[1].item<double>(), std::sqrt(1.0 + 4.0), 1e-12);
}

}  // namespace
}  // namespace adassl::evaluation
