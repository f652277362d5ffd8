#include "adassl/core/text_width.h"

#include <algorithm>
#include <initializer_list>

namespace adassl::text {
namespace {

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

}  // namespace adassl::text
