#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adassl/data/files.h"

namespace adassl::data {

/// How much one column changes from x to x+, and between the x and the x+ of different pairs. Of a
/// class: the share of pairs in which it differs. Of a number: the root mean square difference in
/// standard deviations, which for unrelated samples is about 1.41.
struct ColumnChange {
  Column column;
  double pairs = 0;
  double random = 0;
};

/// In what the two samples of a pair differ, as far as the columns of a data set tell.
struct PairChanges {
  int64_t pairs = 0;  // that were looked at
  std::vector<ColumnChange> columns = {};
  /// counts[n] of the pairs differ in n of the columns that are classes (the paper's figure of
  /// CelebA). Empty if no column is a class.
  std::vector<int64_t> counts = {};
};

/// Looks at up to `most` training pairs. A column is left out where it is the same for all of their
/// samples, or where a value of theirs is missing.
PairChanges pair_changes(const Files& files, uint64_t seed, int64_t most);

}  // namespace adassl::data
