#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/evaluation/groups_of_r.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// Can retrieval be controlled by r? (paper fig. 4)  For held-out x, the held-out sample nearest to
/// predict(e, r) is retrieved, x itself left out, with r at its expectation and with one group of
/// its dimensions sampled. Groups and the factors after which they are named are found on half of
/// the x, and scored on the other half. Factors are in standard deviations.
///   control_groups            how many groups, each for one factor
///   control_share             the share of a group's own factor in all changes between the two
///                             retrieved samples, mean over groups
///   control_share_free        the share of the same factors where all of r is sampled
///   changed_factors           how many factors of x differ by more than `threshold` in what is
///                             retrieved with all of r sampled
///   changed_factors_pairs     in the training pairs
///   changed_factors_random    in another held-out sample
/// and a record of kind "control" with the groups and what each of them changes.
class Control final : public Evaluation {
 public:
  using Options = parts::ControlOptions;
  explicit Control(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override;
  /// Where the held-out samples are a fixed list with at least two factors.
  bool fits(const data::Source& source) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
