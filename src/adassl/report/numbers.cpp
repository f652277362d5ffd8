#include "adassl/report/numbers.h"

#include <algorithm>
#include <array>
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

/// Fixed decimals would show too little or too much of it.
bool needs_exponent(double value) {
  const double size = std::abs(value);
  return size >= 1e6 || (size > 0 && size < 0.0005);
}

struct Span {
  char32_t first, last;
};

bool within(char32_t code, std::initializer_list<Span> spans) {
  return std::any_of(spans.begin(), spans.end(),
                     [code](const Span& span) { return code >= span.first && code <= span.last; });
}

int64_t width_of(char32_t code) {
  if (within(code, {{0x300, 0x36F}, {0x200B, 0x200F}, {0xFE00, 0xFE0F}})) return 0;  // combining
  if (within(code, {{0x1100, 0x115F},
                    {0x2E80, 0xA4CF},
                    {0xAC00, 0xD7A3},
                    {0xF900, 0xFAFF},
                    {0xFE30, 0xFE6F},
                    {0xFF00, 0xFF60},
                    {0x1F300, 0x1FAFF}})) {
    return 2;  // East Asian wide, emoji
  }
  return 1;
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

int64_t display_width(std::string_view text) {
  int64_t width = 0;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (size_t k = 1; k < length && i + k < text.size(); ++k) {
      code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    }
    width += width_of(code);
    i += length;
  }
  return width;
}

std::string shortened(std::string_view text, int64_t width) {
  if (display_width(text) <= width) return std::string(text);
  while (!text.empty() && display_width(text) > width - 1) {
    size_t end = text.size() - 1;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end);
  }
  return std::string(text) + "…";
}

std::string padded(std::string_view text, int64_t width) {
  const int64_t missing = std::max<int64_t>(0, width - display_width(text));
  return std::string(text) + std::string(static_cast<size_t>(missing), ' ');
}

}  // namespace adassl::report
