#pragma once

#include <string>

#include "adassl/report/table.h"

namespace adassl::report {

/// Ours beside the paper's, with a strip in each cell: our mean and spread (dot) above the paper's
/// (ring), all cells of a column on one scale.
std::string results_table(const Table& table);
/// Rows and columns of plain numbers.
std::string plain_table(const Table& table);
/// The same with metrics down and rows across, for many metrics.
std::string metrics_table(const Table& table);
/// One row as a list of names and numbers, without the metrics it does not have. `style` is added
/// to the names of its CSS classes: " wide" for a list that has a section for itself.
std::string value_list(const Table& table, const Row& row, const std::string& style = "");

}  // namespace adassl::report
