#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// How an importance matrix R >= 0, of codes i for factors j, falls into parts.
///   disentanglement of code i: 1 - H(P_i) / log F,  P_ij = R_ij / sum_j R_ij
///   completeness of factor j:  1 - H(Q_j) / log D,  Q_ij = R_ij / sum_i R_ij
/// A code or factor without any importance gets 0. The means weigh each code or factor by its share
/// of the total importance.
struct ImportanceScores {
  Tensor codes;    // [D] disentanglement
  Tensor factors;  // [F] completeness
  double disentanglement = 0;
  double completeness = 0;
};
ImportanceScores importance_scores(const Tensor& importance);  // [D, F]

/// DCI (Eastwood and Williams, 2018): disentanglement, completeness and informativeness of the
/// embedding, with the absolute weights of a Lasso as importance. Codes and factors are scaled to
/// mean 0 and variance 1 over the held-out samples, and the regression is fitted to the same
/// samples.
///   dci_disentanglement, dci_completeness    of the importance matrix
///   dci_informativeness    R2 of the regression on folds it was not fitted to, mean over factors
///   dci_..._per_code, dci_..._per_factor     the same for single codes and factors
///   dci_converged          1 if all fits reached the tolerance, 0 if not
/// and a record of kind "importance" with the matrix.
class Dci final : public Evaluation {
 public:
  using Options = parts::DciOptions;
  explicit Dci(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override;
  /// Where the held-out samples are a fixed list with at least two factors. In data with several
  /// futures of one x the factors describe the motion rather than the content.
  bool fits(const data::Source& source) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
