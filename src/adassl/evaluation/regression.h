#pragma once

#include "adassl/evaluation/evaluation.h"

namespace adassl::evaluation {

/// How well an affine map reads the true factors off the embedding: R2, the mean over factors.
///   r2_<population>: fitted and tested on that population
///   r2_ood:          fitted on the first population, tested on the second
class Regression final : public Evaluation {
 public:
  static constexpr std::string_view kName = "regression";
  static constexpr std::string_view kSummary =
      "R2 of an affine map from the embedding to the true factors";
  struct Options {
    int64_t train_samples = 100'000;
    int64_t test_samples = 100'000;
    void visit(Fields& field) {
      field("train_samples", train_samples, "samples the map is fitted on", {32, 1e7});
      field("test_samples", test_samples, "fresh samples it is scored on", {32, 1e7});
    }
  };
  explicit Regression(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
