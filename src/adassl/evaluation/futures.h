#pragma once

#include "adassl/evaluation/evaluation.h"

namespace adassl::evaluation {

/// For each x, `draws` imagined r, each predicted with and looked up: the nearest of that x's own
/// futures by cosine similarity, the first of equal ones. [S, draws] numbers from 0 to n - 1.
Tensor imagined_futures(model::Method& method, const Futures& futures, int64_t draws,
                        const random::Stream& noise);

/// How many different values as many draws with replacement from these are expected to take:
/// sum over values of 1 - (1 - share)^draws.
double expected_distinct(const std::vector<int64_t>& values, int64_t draws);

/// Standard deviation (of n - 1) over the middle dimension, the mean over the others:
/// [S, n, F] -> one number.
double mean_spread(const Tensor& values);

/// Does the method imagine what may happen, or one thing only? Nothing where the source has no
/// futures.
///   distinct_futures  different futures among those that `draws` imagined r lead to, the mean over
///                     sources; futures that look the same count once
///   true_distinct     what as many draws from the true futures would give
///   future_spread     the spread of the factors of the futures found, relative to that of the true
///                     ones; where the source has factors
class SampledFutures final : public Evaluation {
 public:
  static constexpr std::string_view kName = "futures";
  static constexpr std::string_view kSummary =
      "how many of the true futures imagined ones lead to, and how far they spread";
  struct Options {
    int64_t sources = 64;
    int64_t futures = 64;
    int64_t draws = 10;
    void visit(Fields& field) {
      field("sources", sources, "observations that go on", {1, 10000});
      field("futures", futures, "ways in which each goes on", {2, 10000});
      field("draws", draws, "imagined futures for each", {2, 10000});
    }
  };
  explicit SampledFutures(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
