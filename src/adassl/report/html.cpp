#include "adassl/report/html.h"

#include <cmath>

#include <fmt/format.h>

namespace adassl::report {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t j = i; j < i + 3; ++j) {
      three = three << 8 | (j < bytes.size() ? static_cast<uint8_t>(bytes[j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      const bool beyond = i + j > bytes.size();
      out += beyond ? '=' : kDigits[three >> (18 - 6 * j) & 63U];
    }
  }
  return out;
}

}  // namespace

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

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escaped(title), drawing_style(), page_style(), body);
}

std::string svg_picture(double width, double height, std::string_view body) {
  return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" )"
                     R"(height="{1}" font-family="system-ui, sans-serif"><style>{2}</style>)"
                     "{3}</svg>\n",
                     width, height, drawing_style(), body);
}

std::string column_head(double x, std::string_view label, std::string_view note) {
  return fmt::format(
      R"(<text class="name" x="{0}" y="16">{1}</text><text x="{0}" y="34">{2}</text>)",
      coordinate(x), escaped(label), escaped(note));
}

std::string png_link(std::string_view png) { return "data:image/png;base64," + base64(png); }

}  // namespace adassl::report
