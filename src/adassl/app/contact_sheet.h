#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/storage/png.h"

namespace adassl::app {

/// The pairs of a batch as one picture: each row shows the frames of x, then those of x+, then
/// those of x++ if there is one. Observations are clips [channels, frames, height, width] or images
/// [channels, height, width], of 1 or 3 channels, with bytes or with values from 0 to 1. Error when
/// they are neither, or too large for a picture. Pixels are doubled.
storage::Image contact_sheet(const Batch& batch);

}  // namespace adassl::app
