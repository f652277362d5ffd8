#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/core/random.h"
#include "adassl/nn/torch.h"

/// Probes of one column, scored on samples whose groups they have not seen.
namespace adassl::evaluation {

/// The fold of each sample, 0 ... folds - 1. Samples of one group are in one fold; a negative group
/// is a sample on its own. Groups are dealt out by size, the largest first, each to the fold that
/// has the fewest samples; the stream decides between equals. Error if there are fewer groups than
/// folds.
std::vector<int64_t> group_folds(const std::vector<int64_t>& groups, int64_t folds,
                                 const random::Stream& stream);

struct CrossValidated {
  std::vector<double>
      linear;               // for each fold: accuracy of a linear classifier, or R2 of a regression
  std::vector<double> knn;  // accuracy of the neighbours' votes; empty for a column of numbers
  double chance = 0;        // always guessing the commonest class, or the mean
};

/// x [N, D]; values [N]: numbers, or labels 0 ... classes - 1 where classes > 0; or [N, 2], the
/// cosine and sine of an angle, which share one R2.
CrossValidated cross_validate(const Tensor& x, const Tensor& values, int64_t classes,
                              const std::vector<int64_t>& folds, int64_t neighbours);

}  // namespace adassl::evaluation
