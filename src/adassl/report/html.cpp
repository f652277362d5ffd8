#include "adassl/report/html.h"

#include <cmath>

#include <fmt/format.h>

namespace adassl::report {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string colour_of(int64_t index) { return fmt::format("var(--c{})", index % kColours); }

std::string typeset(std::string_view number) {
  std::string out;
  for (const char c : escaped(number)) out += c == '-' ? std::string("−") : std::string(1, c);
  return out;
}

std::string section(std::string_view title, std::string_view note, std::string_view body) {
  return fmt::format("<section><h2>{}</h2>\n<p class=\"note\">{}</p>\n{}</section>\n", title, note,
                     body);
}

}  // namespace adassl::report
