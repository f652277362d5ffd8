#pragma once

#include <string>

#include "adassl/report/records.h"

namespace adassl::report {

/// The learning curves of a study's columns, up to three in a row, as one standalone SVG file (for
/// a README or slides). Follows the reader's light or dark mode, as the pages do.
std::string curves_picture(const Records& records);

/// The same for the study's scatter charts.
std::string scatter_picture(const Records& records);

}  // namespace adassl::report
