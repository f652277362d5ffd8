#pragma once

#include <filesystem>
#include <string>

#include "adassl/records/record.h"

namespace adassl::app {

/// Writes report.html into a run directory.
void write_run_report(const std::filesystem::path& run);

/// The numbers of a run, or of any records, for the terminal.
std::string terminal_table(const std::filesystem::path& run);
std::string terminal_table(const records::Records& records);

}  // namespace adassl::app
