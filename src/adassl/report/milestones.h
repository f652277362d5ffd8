#pragma once

#include <string>

#include "adassl/report/table.h"

namespace adassl::report {

/// The evaluations on the way as a Markdown table: a line for each row and metric, a column for
/// each step, means over seeds; the end stands last. Nothing where there are none.
std::string milestones_markdown(const Records& records, const Table& table);

}  // namespace adassl::report
