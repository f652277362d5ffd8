#pragma once

#include "adassl/nn/torch.h"

/// Scores of classifiers, and what a guess that does not look at x would reach.
namespace adassl::evaluation {

/// The share of rows whose predicted class is the true one: [N], [N].
double accuracy(const Tensor& predicted, const Tensor& truth);

/// The share of rows whose true class is among the k classes with the largest logits: [N, C], [N].
/// Of classes with equal logits, those with smaller numbers come first.
double top_k_accuracy(const Tensor& logits, const Tensor& truth, int64_t k);

/// F1 of the class that is rarer in `truth`, classes 0 and 1: [N], [N]. If both are equally
/// frequent it is class 0. If the class is neither predicted nor there, F1 is 0.
double minority_f1(const Tensor& predicted, const Tensor& truth);

/// top_k_accuracy of always naming the k classes that are commonest in `known`; with k = 1 the
/// accuracy of the majority class.
double chance_of_top_k(const Tensor& known, const Tensor& truth, int64_t classes, int64_t k);

/// minority_f1 of guessing the rarer class with its frequency in `known`: 2 p q / (p + q), where p
/// is its frequency in `truth` and q that in `known`.
double chance_of_minority_f1(const Tensor& known, const Tensor& truth);

}  // namespace adassl::evaluation
