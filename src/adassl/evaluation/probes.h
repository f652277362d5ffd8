#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// Simple probes of the frozen network, on its representation and on its embedding as the encoder
/// returns it (normalised only if `normalise_embedding` is set). They are fitted on the training
/// population and scored on the held-out one. "..." is representation or embedding:
///   ..._accuracy    a linear classifier with bias for each column of classes, averaged over the
///                   columns; if there are several, ..._accuracy_<column> too
///   ..._top5        of the same classifiers, for columns of more than five classes; if there are
///                   several columns of classes, ..._top5_<column> too
///   ..._f1          of the same classifiers, for binary columns: F1 of the class that is rarer
///                   among the held-out samples; if there are several, ..._f1_per_column too
///   ..._knn         k nearest neighbours by cosine similarity, averaged over the columns; if there
///                   are several, ..._knn_<column> too
///   ..._r2          least squares with bias, averaged over the factors, if the source has any; an
///                   angle is predicted as cosine and sine
///   ..._converged   1 if the classifiers' gradients vanished, 0 if max_iterations was reached
///                   first or no step lowered a loss
///   accuracy_chance, top5_chance, f1_chance    a guess that knows only how frequent the classes
///                   are; not during training. If there are several columns of classes,
///                   accuracy_chance_<column> and top5_chance_<column> too
class Probes final : public Evaluation {
 public:
  using Options = parts::ProbesOptions;
  explicit Probes(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override;
  bool fits(const data::Source& source) const override;
  std::shared_ptr<Evaluation> watching(const WatchSize& size) const override {
    Options options = options_;
    options.train_samples = options.test_samples = size.samples;
    return std::make_shared<Probes>(options);
  }

 private:
  Options options_;
};

}  // namespace adassl::evaluation
