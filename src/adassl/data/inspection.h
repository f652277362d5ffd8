#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adassl/data/files.h"
#include "adassl/data/pair_changes.h"

namespace adassl::data {

/// The smallest, the middle and the largest of some numbers.
struct Spread {
  int64_t least = 0, median = 0, most = 0;
};
Spread spread_of(std::vector<int64_t> numbers);

/// What a user should know about a data set before training on it.
struct Inspection {
  int64_t samples = 0;
  int64_t pictures = 0;  // in a sample; 0 for arrays
  Spread width, height;  // of the pictures of usable samples
  std::vector<Unusable> unusable;

  int64_t groups = 0;  // of usable training samples, in which partners are looked for
  Spread group_sizes;
  Spread group_pairs;  // of two different samples, in whatever order
  int64_t pairs = 0;   // in an epoch
  std::string remark;

  int64_t duplicates = 0;                            // samples that equal an earlier one
  std::vector<std::vector<std::string>> equal_sets;  // the first few sets of equal samples

  // Root mean square differences of plain views: of pairs, and of samples of different pairs, which
  // are of different groups where there are several.
  int64_t compared = 0;
  double pair_distance = 0;
  double random_distance = 0;
  double identical = 0;  // the share of pairs whose two samples look exactly the same

  PairChanges changes;  // of the columns

  /// The expected share of an anchor's negatives that belong to its own group.
  double false_negatives = 0;

  std::vector<std::string> warnings;
};

Inspection inspect(const Files& files, uint64_t seed);

/// The samples.tolerate without which training refuses this data; 0 if the default is enough.
double needed_tolerance(const Inspection& found);

}  // namespace adassl::data
