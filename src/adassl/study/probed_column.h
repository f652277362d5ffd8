#pragma once

#include <string>
#include <vector>

#include "adassl/nn/torch.h"
#include "adassl/study/seen_samples.h"

namespace adassl::study {

/// One column of the samples that can be read, as a probe needs it.
struct ProbedColumn {
  Tensor values;                // [N] numbers, or labels 0 ... classes - 1; [N, 2] of an angle
  int64_t classes = 0;          // 0 for a column of numbers
  std::vector<int64_t> groups;  // [N] the group of each; -1: on its own
};

/// `by` names the groups that are kept together: folder, a column, or a regular expression over the
/// path; empty for none. Error if there is no such column.
ProbedColumn probed_column(const SeenSamples& samples, const std::string& column,
                           const std::string& by);

}  // namespace adassl::study
