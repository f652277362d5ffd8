#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// What simple probes read off the frozen network: off its representation, and off its embedding
/// as the encoder gives it (not normalised). Fitted on the training population, scored on the
/// held-out one.
///   representation_accuracy, embedding_accuracy    a linear classifier with bias for each column
///   of
///                                                  classes: the mean over them; where there are
///                                                  several, ..._accuracy_<column> too
///   representation_knn, embedding_knn              neighbours by cosine similarity, one vote each
///   representation_r2, embedding_r2                least squares with bias, where the source has
///                                                  factors: the mean over them
///   representation_converged, embedding_converged  1 where the classifier's gradient vanished,
///                                                  0 where max_iterations came first, or no
///                                                  step lowered the loss
class Probes final : public Evaluation {
 public:
  using Options = parts::ProbesOptions;
  explicit Probes(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override;
  bool fits(const data::Source& source) const override;
  std::shared_ptr<Evaluation> watching(int64_t samples) const override {
    return std::make_shared<Probes>(Options{.train_samples = samples, .test_samples = samples});
  }

 private:
  Options options_;
};

}  // namespace adassl::evaluation
