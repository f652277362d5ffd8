#pragma once

#include "adassl/evaluation/evaluation.h"

namespace adassl::evaluation {

/// What simple probes read off the frozen network: off its representation, and off its embedding
/// as the encoder gives it (not normalised). Fitted on the training population, scored on the
/// held-out one.
///   representation_accuracy, embedding_accuracy    a linear classifier with bias, where the source
///                                                  has classes
///   representation_knn, embedding_knn              neighbours by cosine similarity, one vote each
///   representation_r2, embedding_r2                least squares with bias, where the source has
///                                                  factors: the mean over them
///   representation_converged, embedding_converged  1 where the classifier's gradient vanished,
///                                                  0 where max_iterations came first, or no
///                                                  step lowered the loss
class Probes final : public Evaluation {
 public:
  static constexpr std::string_view kName = "probes";
  static constexpr std::string_view kSummary =
      "classes and factors as linear probes read them off representation and embedding";
  struct Options {
    int64_t train_samples = 60'000;
    int64_t test_samples = 10'000;
    int64_t neighbours = 20;
    double l2 = 1e-6;
    int64_t max_iterations = 1000;
    double tolerance = 1e-5;
    void visit(Fields& field) {
      field("train_samples", train_samples, "samples the probes are fitted on", {32, 1e7});
      field("test_samples", test_samples,
            "held-out samples they are scored on; all, where there are fewer", {32, 1e7});
      field("neighbours", neighbours, "neighbours that vote", {1, 10000});
      field("l2", l2, "weight decay of the classifier, on features of unit variance", {0, 1e3});
      field("max_iterations", max_iterations, "steps of the classifier's L-BFGS", {1, 1e6});
      field("tolerance", tolerance, "norm of the gradient at which it stops", {1e-12, 1});
    }
  };
  explicit Probes(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
