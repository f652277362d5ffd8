#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// Simple probes of the frozen network, on its representation and on its embedding as the encoder
/// returns it (not normalised). They are fitted on the training population and scored on the
/// held-out one.
///   representation_accuracy, embedding_accuracy    a linear classifier with bias for each column
///                                                  of classes, averaged over the columns; if there
///                                                  are several, ..._accuracy_<column> too
///   representation_knn, embedding_knn              k nearest neighbours by cosine similarity
///   representation_r2, embedding_r2                least squares with bias, averaged over the
///                                                  factors, if the source has any
///   representation_converged, embedding_converged  1 if the classifier's gradient vanished, 0 if
///                                                  max_iterations was reached first or no step
///                                                  lowered the loss
class Probes final : public Evaluation {
 public:
  using Options = parts::ProbesOptions;
  explicit Probes(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override;
  bool fits(const data::Source& source) const override;
  std::shared_ptr<Evaluation> watching(const WatchSize& size) const override {
    return std::make_shared<Probes>(
        Options{.train_samples = size.samples, .test_samples = size.samples});
  }

 private:
  Options options_;
};

}  // namespace adassl::evaluation
