#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// Can retrieval be controlled by r? (paper fig. 4)  For held-out x, the held-out sample nearest to
/// predict(e, r) is retrieved, x itself left out, with r at its expectation and with one group of
/// its dimensions sampled. Groups and the readable factors after which they are named are found on
/// half of the x, and scored on the other half. A group that changes no readable factor keeps its
/// dimensions as its name and has no share. Factors are in standard deviations.
///   control_groups            how many groups are named, each after one factor
///   readable_factors          how many factors are readable (control_factors.h)
///   control_share_readable    the share of a group's own factor in the changes of readable factors
///                             between the two retrieved samples, mean over named groups; only if
///                             at least two factors are readable
///   control_share_readable_free   the share of the same factors where all of r is sampled
///   control_share, control_share_free   the same shares in the changes of all factors
///   changed_factors           how many factors of x differ by more than `threshold` in what is
///                             retrieved with all of r sampled
///   changed_factors_pairs     in the training pairs
///   changed_factors_random    in another held-out sample
/// and a record of kind "control" with the readable factors, the groups and what each of them
/// changes. Without a named group there is no share.
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
