#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// For each x, imagines r `draws` times, predicts x+ with it and finds the nearest of the n futures
/// of that x by cosine similarity, the first one in case of ties. [S, draws] indices from 0 to n -
/// 1.
Tensor imagined_futures(model::Predicts& method, const Futures& futures, int64_t draws,
                        const random::Stream& noise);

/// The expected number of distinct values among `draws` draws with replacement from these values:
/// sum over distinct values of 1 - (1 - share)^draws.
double expected_distinct(const std::vector<int64_t>& values, int64_t draws);

/// The standard deviation over the middle dimension (with n - 1), averaged over the other two:
/// [S, n, F] -> one number.
double mean_spread(const Tensor& values);

/// Does the method imagine all possible futures, or only one?
///   distinct_futures  the number of distinct futures among those that `draws` imagined r lead to,
///                     averaged over sources; futures with identical pixels count once
///   true_distinct     the expected number for as many draws from the true futures
///   future_spread     the spread of the factors of the futures found, relative to that of the true
///                     futures; only if the source has factors
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
