#include "adassl/evaluation/classification.h"

#include <gtest/gtest.h>

namespace adassl::evaluation {
namespace {

Tensor labels(const std::vector<int64_t>& values) { return torch::tensor(values, torch::kInt64); }

TEST(MinorityF1, IsOfTheClassThatIsRarerInTheTruth) {
  const Tensor truth = labels({1, 0, 0, 0}), predicted = labels({1, 1, 0, 0});
  EXPECT_DOUBLE_EQ(minority_f1(predicted, truth), 2.0 / 3);  // precision 1/2, recall 1
  EXPECT_DOUBLE_EQ(minority_f1(1 - predicted, 1 - truth), 2.0 / 3);
  EXPECT_DOUBLE_EQ(minority_f1(labels({0, 0, 0, 1}), labels({1, 1, 0, 0})), 0.4);  // class 0
}

TEST(MinorityF1, IsZeroWhereTheClassIsNowhere) {
  EXPECT_EQ(minority_f1(labels({0, 0}), labels({0, 0})), 0);
  EXPECT_EQ(minority_f1(labels({0, 1}), labels({0, 0})), 0);
}

TEST(TopK, CountsTheTruthAmongTheFirst) {
  const Tensor logits = torch::tensor({{3.0, 1.0, 2.0}, {1.0, 2.0, 3.0}}, torch::kFloat64);
  const Tensor truth = labels({2, 0});
  EXPECT_EQ(top_k_accuracy(logits, truth, 1), 0);
  EXPECT_EQ(top_k_accuracy(logits, truth, 2), 0.5);
  EXPECT_EQ(top_k_accuracy(logits, truth, 3), 1);
}

TEST(TopK, PutsSmallerNumbersFirstAmongEquals) {
  const Tensor logits = torch::zeros({1, 4}, torch::kFloat64);
  EXPECT_EQ(top_k_accuracy(logits, labels({1}), 2), 1);
  EXPECT_EQ(top_k_accuracy(logits, labels({2}), 2), 0);
}

TEST(Chance, IsWhatTheFrequenciesOfTheTrainingClassesGive) {
  const Tensor known = labels({2, 2, 2, 1, 1, 0});
  EXPECT_DOUBLE_EQ(chance_of_top_k(known, labels({2, 1, 1, 1}), 4, 1), 0.25);
  EXPECT_DOUBLE_EQ(chance_of_top_k(known, labels({2, 1, 3, 0}), 4, 2), 0.5);
  // Class 1 is a quarter of the truth and half of what is known.
  EXPECT_DOUBLE_EQ(chance_of_minority_f1(labels({0, 1}), labels({1, 0, 0, 0})), 1.0 / 3);
  EXPECT_EQ(chance_of_minority_f1(labels({0, 0}), labels({0, 0})), 0);
}

}  // namespace
}  // namespace adassl::evaluation
