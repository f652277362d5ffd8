#pragma once

#include <string>

#include "adassl/images/pixels.h"

namespace adassl::images {

/// A baseline JPEG file with halved colour resolution, as most photographs are stored. The quality
/// is from 1 to 100.
std::string encode_jpeg(const Pixels& image, int quality = 90);

}  // namespace adassl::images
