#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adassl/report/contour.h"

namespace adassl::report {

/// A curve as small as a word, without axes: the first value is a dashed line across it, and the
/// last one a dot. Values that are not finite interrupt it. Empty if no value is finite.
std::string spark_line(const std::vector<Point>& points, int64_t colour);

}  // namespace adassl::report
