#pragma once

#include "adassl/evaluation/evaluation.h"

namespace adassl::evaluation {

/// What r encodes: R2 of affine maps between r, as inferred from pairs, and the true change; fitted
/// on one half of the pairs and scored on the other. Only where there is an r that varies and a
/// source that tells the change.
///   r2_r_from_change   is there anything in r besides the change?
///   r2_change_from_r   is the change in r?
/// Each is the mean over the columns that vary; the vectors <name>_per_dim have 0 for the others.
class Change final : public Evaluation {
 public:
  static constexpr std::string_view kName = "change";
  static constexpr std::string_view kSummary = "R2 between r and the true change, both ways";
  struct Options {
    int64_t pairs = 4096;
    void visit(Fields& field) {
      field("pairs", pairs, "pairs looked at, half of them for fitting", {16, 1e7});
    }
  };
  explicit Change(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
