#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adassl/core/text_width.h"

/// Formats numbers and words the same way in the terminal, in Markdown and on a page.
namespace adassl::report {

/// "0.781", "12.40", "-3.5e-05", "n/a": three decimals, fewer where the number is large.
std::string number_text(double value);
/// "0.781 ±0.020"; without the spread if that is not finite (one seed).
std::string spread_text(double mean, double std);
/// "+1.6σ"
std::string deviations_text(double deviations);
/// "200,000"
std::string count_text(double count);
/// "1 seed", "3 seeds"
std::string plural(int64_t count, std::string_view noun);
/// "A sentence" of "a sentence": only the first letter changes.
std::string capitalised(std::string text);

using text::display_width;
using text::padded;
using text::shortened;

}  // namespace adassl::report
