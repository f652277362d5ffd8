#pragma once

#include <string_view>

#include "adassl/report/records.h"

namespace adassl::report {

/// What is added to the name of a row for its untrained model.
inline constexpr std::string_view kUntrainedSuffix = ", untrained";

/// Makes evaluations of untrained models into rows of their own: "byol, untrained". Records that
/// have been through this stay as they are.
Records untrained_as_rows(Records records);

}  // namespace adassl::report
