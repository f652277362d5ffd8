#pragma once

#include "adassl/storage/png.h"

namespace adassl::report {

using storage::Image;

/// Writes a number of digits that are 3 x 5 pixels each, enlarged; (left, top) is its corner. What
/// lies outside of the picture is left out.
void draw_number(Image& image, int64_t left, int64_t top, int64_t zoom, int64_t number);

}  // namespace adassl::report
