#pragma once

#include <string>

#include "adassl/report/table.h"

namespace adassl::report {

/// A card with the truth, then one for each row with a density record (its first seed): filled
/// contours of the samples, the truth's outline on top. Empty without density records.
std::string density_cards(const Table& table, const Records& records);

}  // namespace adassl::report
