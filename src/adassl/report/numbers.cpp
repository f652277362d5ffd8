#include "adassl/report/numbers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace adassl::report {
namespace {

int decimals_for(double value) {
  const double size = std::abs(value);
  if (size >= 1000) return 0;
  if (size >= 100) return 1;
  return size >= 10 ? 2 : 3;
}

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return zero && text[0] == '-' ? text.substr(1) : text;
}

/// Whether fixed decimals would show too few or too many digits of it.
bool needs_exponent(double value) {
  const double size = std::abs(value);
  return size >= 1e6 || (size > 0 && size < 0.0005);
}

}  // namespace

std::string number_text(double value) {
  if (!std::isfinite(value)) return "n/a";
  if (needs_exponent(value)) return fmt::format("{:.1e}", value);
  return fixed(value, decimals_for(value));
}

std::string spread_text(double mean, double std) {
  if (!std::isfinite(mean) || !std::isfinite(std)) return number_text(mean);
  // The spread has the decimals of the mean, unless either would be unreadable that way.
  if (needs_exponent(mean) || std >= 1e6) {
    return fmt::format("{} ±{}", number_text(mean), number_text(std));
  }
  return fmt::format("{} ±{}", number_text(mean), fixed(std, decimals_for(mean)));
}

std::string deviations_text(double deviations) {
  if (!std::isfinite(deviations)) return "n/a";
  if (std::abs(deviations) > 99) return deviations > 0 ? ">+99σ" : "<-99σ";
  const std::string size = fixed(std::abs(deviations), 1);
  return fmt::format("{}{}σ", deviations < 0 && size != "0.0" ? "-" : "+", size);
}

std::string count_text(double count) {
  if (!std::isfinite(count)) return "n/a";
  const std::string digits = fmt::format("{:.0f}", std::abs(count));
  std::string out = count < 0 ? "-" : "";
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string plural(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace adassl::report
