#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// What r encodes: R2 of affine maps between r, as inferred from pairs, and the true change. The
/// maps are fitted on one half of the pairs and scored on the other; a finite set of pairs is used
/// at most once. This requires a method with an r and a source that provides the true change.
///   r2_r_from_change   is there anything in r besides the change?
///   r2_change_from_r   is the change in r?
/// Where the model's expectation of r depends on x, r may carry much about x for free, which hides
/// the change from an affine map. <name>_beyond_x is then the same for r less that expectation.
/// Each is the mean over the columns that vary. The vectors <name>_per_dim contain 0 for the
/// others.
class Change final : public Evaluation {
 public:
  using Options = parts::ChangeOptions;
  explicit Change(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override;
  bool fits(const data::Source& source) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
