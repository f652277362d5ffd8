#pragma once

#include <string>
#include <vector>

#include "adassl/report/claims.h"

namespace adassl::report {

/// One sentence that says what was found: the first claim with its numbers, if it holds on all
/// seeds; how many of the paper's claims hold; and which do not, on which seeds. Empty without
/// claims.
std::string headline(const std::vector<Claim>& claims, const Table& table);

}  // namespace adassl::report
