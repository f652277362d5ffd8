#pragma once

#include "adassl/storage/png.h"

namespace adassl::report {

using storage::Image;

/// Draws a number with digits of 3 x 5 pixels, enlarged by `zoom`; (left, top) is its upper left
/// corner. Pixels outside of the picture are left out.
void draw_number(Image& image, int64_t left, int64_t top, int64_t zoom, int64_t number);

}  // namespace adassl::report
