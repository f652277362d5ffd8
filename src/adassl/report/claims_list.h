#pragma once

#include <string>
#include <vector>

#include "adassl/report/records.h"

namespace adassl::report {

/// Records and the file that holds them.
struct Source {
  std::string path;
  Records records;
};

/// The claims of all studies as one Markdown table: each claim once, with a line for each file that
/// answers it. A file that leaves a claim open is only listed if no other file answers the claim.
/// Empty if no study makes a claim.
std::string claims_markdown(const std::vector<Source>& sources);

}  // namespace adassl::report
