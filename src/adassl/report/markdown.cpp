#include "adassl/report/markdown.h"

#include <string_view>

namespace adassl::report {

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return text;
}

std::string markdown_escaped(const std::string& text) {
  std::string out;
  for (const char c : one_line(text)) {
    if (std::string_view("|*_`<>[]\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace adassl::report
