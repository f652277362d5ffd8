#pragma once

#include "adassl/evaluation/evaluation.h"

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
  static constexpr std::string_view kName = "utilisation";
  static constexpr std::string_view kSummary =
      "what r costs, which dimensions are active, what it explains";
  struct Options {
    int64_t batch = 2048;
    int64_t batches = 4;
    void visit(Fields& field) {
      field("batch", batch, "pairs that compete with each other", {2, 16384});
      field("batches", batches, "batches averaged over", {1, 1e6});
    }
  };
  explicit Utilisation(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
