#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace adassl::text {

/// Columns a terminal needs for the UTF-8 text.
int64_t display_width(std::string_view text);
/// At most `width` columns, with "…" where something is left out.
std::string shortened(std::string_view text, int64_t width);
/// Filled with spaces on the right up to the width.
std::string padded(std::string_view text, int64_t width);

}  // namespace adassl::text
