#pragma once

#include <cstddef>
#include <span>

#include "adassl/storage/png.h"

/// How the camera was held. EXIF numbers the eight ways in which the stored rows and columns can be
/// arranged: 1 as seen, 2 mirrored, 3 turned by 180 degrees, 4 upside down, 5 transposed, 6 to be
/// turned clockwise, 7 transposed along the other diagonal, 8 to be turned counter-clockwise.
namespace adassl::images {

/// The orientation in a block of EXIF data (a TIFF header and its first directory, optionally after
/// "Exif\0\0"). 1 if it is not there or the block is damaged: a picture is worth more than its
/// metadata.
int exif_orientation(std::span<const std::byte> block);

/// The image as it is meant to be seen.
storage::Image oriented(storage::Image image, int orientation);

}  // namespace adassl::images
