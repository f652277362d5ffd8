#pragma once

#include "adassl/render/picture.h"

namespace adassl::render {

/// Ten rows, one for each factor, in which this factor alone goes from -1 to 1 (raw) in `columns`
/// steps; thin light gaps are between the pictures.
storage::Image sheet_of_factors(const Object& object, const Quality& quality, int64_t columns);

/// The scene in which the sheet changes one factor at a time.
constexpr Factors kSheetScene = {0.1F, 0, -0.2F, 0.15F, 0.2F, -0.35F, 0.1F, 0.3F, -0.3F, 0.9F};

}  // namespace adassl::render
