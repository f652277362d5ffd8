#pragma once

#include <map>
#include <set>
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

  std::vector<int64_t> holds, fails;                  // only seeds that have all of these rows
  std::map<std::string, std::vector<double>> values;  // compared: of each row, one for each seed
  std::set<int64_t> steps;  // at which a seed's rows were compared, if some are unfinished
};

/// The study's claims with their seeds, in its order. Where a run of a seed is unfinished, its rows
/// are compared at the last step at which all of them were evaluated.
std::vector<Claim> claims_of(const Records& records);

/// "yes" with all seeds, "mixed over seeds" with some, "no" with none; "not yet" instead of "no"
/// where training is shorter than the paper's or unfinished, and "open" where no seed has all rows.
std::string verdict(const Claim& claim, const Table& table);

/// "seed 1", "seeds 1, 2"
std::string seeds_text(const std::vector<int64_t>& seeds);

/// Whether the claim was checked on models that trained for less long than the paper's.
bool is_early(const Claim& claim, const Table& table);

/// The result as one or two sentences with the numbers (means over the seeds that were compared).
std::string finding(const Claim& claim, const Table& table);

}  // namespace adassl::report
