#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// What r says about x+: for each column of classes, how often a linear classifier names the class
/// of x+. It is fitted on one half of the pairs and scored on the other; a finite set of pairs is
/// used at most once. This requires a method with an r and pairs that come with the classes of x+.
///   partner_chance_<column>        always the commonest class
///   partner_from_x_<column>        from the embedding of x
///   partner_from_r_<column>        from r as inferred from the pair
///   partner_from_x_and_r_<column>  from both
/// What x and x+ share is told by x already. What r adds to x has changed from x to x+, and r
/// carries it.
class Partner final : public Evaluation {
 public:
  using Options = parts::PartnerOptions;
  explicit Partner(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override;
  bool fits(const data::Source& source) const override { return source.shape().pair_classes; }

 private:
  Options options_;
};

}  // namespace adassl::evaluation
