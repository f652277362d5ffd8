#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// How well an affine map predicts the true factors from the embedding: R2, averaged over factors.
///   r2_<population>: fitted and tested on that population
///   r2_ood:          fitted on the first population, tested on the second
class Regression final : public Evaluation {
 public:
  using Options = parts::RegressionOptions;
  explicit Regression(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override;
  bool fits(const data::Source& source) const override;
  std::shared_ptr<Evaluation> watching(const WatchSize& size) const override {
    return std::make_shared<Regression>(Options{size.samples, size.samples});
  }

 private:
  Options options_;
};

}  // namespace adassl::evaluation
