#pragma once

#include <string>

#include "adassl/report/records.h"

namespace adassl::report {

/// The learning curves of a study's columns, up to three in a row, as one SVG file of its own (for
/// a README or slides). Follows the reader's light or dark mode, as the pages do.
std::string curves_picture(const Records& records);

/// The same of the study's scatters.
std::string scatter_picture(const Records& records);

}  // namespace adassl::report
