#pragma once

#include <string>
#include <vector>

#include "adassl/report/table.h"

namespace adassl::report {

/// A statement of the paper about the order of rows, checked against the records seed by seed: it
/// holds for a seed if each row of `above` has a larger number than each row of `below`.
struct Claim {
  std::string says;                       // continues "The paper finds that"
  std::string metric;                     // of a column
  std::vector<std::string> above, below;  // names of rows

  std::vector<int64_t> holds, fails;  // only seeds that have all of these rows
};

/// The study's claims with their seeds, in its order.
std::vector<Claim> claims_of(const Records& records);

/// "yes" with all seeds, "mixed over seeds" with some, "no" with none; "not yet" instead of "no"
/// where training is shorter than the paper's, and "open" where no seed has all rows.
std::string verdict(const Claim& claim, const Table& table);

/// "seed 1", "seeds 1, 2"
std::string seeds_text(const std::vector<int64_t>& seeds);

/// The result as one or two sentences with the numbers (means over the available seeds).
std::string finding(const Claim& claim, const Table& table);

}  // namespace adassl::report
