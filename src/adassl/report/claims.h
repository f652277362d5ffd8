#pragma once

#include <string>
#include <vector>

#include "adassl/report/table.h"

namespace adassl::report {

/// What the paper says about the order of rows, held to the records seed by seed: it holds with a
/// seed where each row of `above` has a larger number than each row of `below`.
struct Claim {
  std::string says;                       // goes on after "The paper finds that"
  std::string metric;                     // of a column
  std::vector<std::string> above, below;  // names of rows

  std::vector<int64_t> holds, fails;  // seeds that have all of these rows
};

/// The study's claims with their seeds, in its order.
std::vector<Claim> claims_of(const Records& records);

/// "yes" with all seeds, "in part" with some, "no" with none; "not yet" instead of "no" where
/// training is shorter than the paper's, and "open" where no seed has all rows.
std::string verdict(const Claim& claim, const Table& table);

/// What was found, as one or two sentences with the numbers (means over the seeds that are there).
std::string finding(const Claim& claim, const Table& table);

}  // namespace adassl::report
