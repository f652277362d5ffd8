#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// What r is used for. Where a model predicts both ways, everything is averaged over both.
///   objective           the objective with r inferred
///   explained_share     1 - L(r inferred) / L(r imagined): the share of the objective that knowing
///                       r takes away
///   kl, gates_open      what r costs: nats, or the mean number of open gates
///   active_dims         dimensions with more than 0.01 nats, or open in more than 1% of the pairs
///   r_entropy           how evenly dimensions are used, H(rho) in nats: rho are the dimensions'
///                       shares of the KL, or of the open gates
///   mi_bound            log K - InfoNCE - KL: nats of information between the pair's embeddings
///                       that are shown to be there. Only where r is paid for in nats, or absent:
///                       an r that is told, or gated, may carry x+ for free and nothing is bounded.
class Utilisation final : public Evaluation {
 public:
  using Options = parts::UtilisationOptions;
  explicit Utilisation(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override {
    return obstacle_without<model::InfersR>(subject);
  }

 private:
  Options options_;
};

}  // namespace adassl::evaluation
