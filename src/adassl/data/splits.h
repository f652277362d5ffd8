#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adassl/core/options.h"
#include "adassl/data/pairing/pairing.h"
#include "adassl/data/samples/samples.h"

namespace adassl::data {

struct SplitOptions {
  double validation = 0.1;
  double test = 0.1;
  std::string split_by = "auto";
  std::string split_column;
  int64_t split_seed = 1;
  void visit(Fields& field);
};

/// Which samples are for training, for choosing and for the final score. Validation and test are in
/// random order, so that their first n samples are a fair choice.
struct Split {
  std::vector<int64_t> train, validation, test;  // train is ascending
  int64_t left_out = 0;                          // samples between two blocks of time
  bool keeps_groups = false;                     // no group is in two parts
  uint64_t sum = 0;                              // a checksum of which sample is in which part
  std::string how;                               // "by group, 123 of them"
  std::vector<std::string> remarks;              // what makes scores on this split doubtful
};

/// Splits the samples. What belongs together stays together:
///   time blocks   the last samples of each sequence are test, those before validation, with a gap
///                 as long as the longest pair between them; where sequences are few, and for
///                 windows and clips, which may overlap, even if each is paired with itself
///   groups        whole groups, or whole sequences, or what a list of pairs connects
///   samples       single samples, where groups are rather classes than identities: fewer than 50,
///                 with 20 samples or more on average; and where groups are so few that whole ones
///                 would take much more from training than was asked for. What a list connects is
///                 never divided
/// `split_by` chooses other groups, "sample", "group" or "time" instead; `split_column` names a
/// column that says train, validation or test. The choice depends on names and `split_seed`, not on
/// the order of files. Remarks tell of parts without samples or groups, of parts of few groups, and
/// of groups that the user's own choice divides.
Split split_samples(const SampleSet& samples, const Bonds& bonds, const SplitOptions& options);

/// The same without the samples that cannot be used.
Split split_usable(const SampleSet& samples, const Bonds& bonds, const SplitOptions& options,
                   const std::vector<Rejected>& rejected);

/// "40 train, 4 validation, 4 test (by group, 12 of them)"
std::string description(const Split& split);

}  // namespace adassl::data
