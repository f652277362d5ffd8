#pragma once

#include <span>
#include <string>

#include "adassl/app/inspect_report.h"
#include "adassl/core/batch.h"
#include "adassl/data/pairing/pairing.h"

namespace adassl::app {

/// The report as a page: what was found, and pairs as training sees them, each with the names of
/// its samples. `batch` holds the views of `pairs`.
std::string inspect_page(const InspectReport& report, std::span<const data::Pair> pairs,
                         const Batch& batch);

}  // namespace adassl::app
