#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// How much the model uses r. If a model predicts in both directions, all numbers are averaged over
/// both.
///   objective           the objective with r inferred from the pair
///   explained_share     1 - L(r inferred) / L(r imagined): the relative reduction of the objective
///                       by knowing r
///   kl, gates_open      the cost of r: nats, or the mean number of open gates
///   active_dims         dimensions with more than 0.01 nats, or open in more than 1% of the pairs
///   r_entropy           how evenly dimensions are used, H(rho) in nats: rho are the dimensions'
///                       shares of the KL, or of the open gates
///   mi_bound            log K - InfoNCE - KL: a lower bound on the mutual information between the
///                       embeddings of a pair, in nats. Only if the cost of r is a KL divergence,
///                       or there is no r: a given or gated r can carry information about x+ at no
///                       cost in nats, and then this is not a bound.
/// While a run is watched, training itself logs the entropy and the open gates; instead there is
/// what matching.h tells about what r carries.
class Utilisation final : public Evaluation {
 public:
  using Options = parts::UtilisationOptions;
  explicit Utilisation(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override {
    return obstacle_without<model::InfersR>(subject);
  }
  std::shared_ptr<Evaluation> watching(const WatchSize& size) const override {
    return std::make_shared<Utilisation>(Options{.batch = size.pairs, .batches = 1});
  }
  bool label_free() const override { return true; }

 private:
  Options options_;
};

}  // namespace adassl::evaluation
