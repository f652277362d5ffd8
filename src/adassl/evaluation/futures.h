#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// For each x, `draws` imagined r, each predicted with and looked up: the nearest of that x's own
/// futures by cosine similarity, the first of equal ones. [S, draws] numbers from 0 to n - 1.
Tensor imagined_futures(model::Predicts& method, const Futures& futures, int64_t draws,
                        const random::Stream& noise);

/// How many different values as many draws with replacement from these are expected to take:
/// sum over values of 1 - (1 - share)^draws.
double expected_distinct(const std::vector<int64_t>& values, int64_t draws);

/// Standard deviation (of n - 1) over the middle dimension, the mean over the others:
/// [S, n, F] -> one number.
double mean_spread(const Tensor& values);

/// Does the method imagine what may happen, or one thing only?
///   distinct_futures  different futures among those that `draws` imagined r lead to, the mean over
///                     sources; futures that look the same count once
///   true_distinct     what as many draws from the true futures would give
///   future_spread     the spread of the factors of the futures found, relative to that of the true
///                     ones; where the source has factors
class SampledFutures final : public Evaluation {
 public:
  using Options = parts::SampledFuturesOptions;
  explicit SampledFutures(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override;
  bool fits(const data::Source& source) const override { return source.shape().continues; }

 private:
  Options options_;
};

}  // namespace adassl::evaluation
