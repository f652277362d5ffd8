#pragma once

#include <string>

#include "adassl/report/table.h"

namespace adassl::report {

/// The milestones as a Markdown table: a line for each row and metric, and a column for each step
/// with the mean over seeds. The final evaluation comes last. Empty if there are no milestones.
std::string milestones_markdown(const Records& records, const Table& table);

}  // namespace adassl::report
