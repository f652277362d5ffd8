#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Functions that every part of a page needs to write HTML and SVG as text.
namespace adassl::report {

/// Escapes a text for use in HTML content and in attribute values; control characters are dropped.
std::string escaped(std::string_view text);
/// A coordinate: at most one decimal, "0" if the value is not finite.
std::string coordinate(double value);
/// "var(--c3)": the colour of a row. Colours repeat after kColours.
std::string colour_of(int64_t index);
inline constexpr int64_t kColours = 8;
/// Numbers with a real minus sign, escaped.
std::string typeset(std::string_view number);

/// A titled part of a page; all three arguments must already be HTML.
std::string section(std::string_view title, std::string_view note, std::string_view body);

/// A whole page; the body must already be HTML.
std::string html_page(std::string_view title, std::string_view body);

/// A standalone SVG picture that follows the reader's light or dark mode; the body must already be
/// SVG.
std::string svg_picture(double width, double height, std::string_view body);
/// The background of such a picture; it must come first in the body.
inline constexpr std::string_view kPaperGround =
    R"_(<rect width="100%" height="100%" style="fill:var(--paper)"/>)_";
/// The heading of a column at the upper edge of a picture: its name with a note below, 44 pixels
/// high.
std::string column_head(double x, std::string_view label, std::string_view note);
/// A data URL with the bytes of a PNG file, for pictures and pages that need no other files.
std::string png_link(std::string_view png);

/// The style sheets and the script (hover over learning curves) that are embedded in each page. The
/// first, with the colours and the styles of drawings, is also embedded in standalone pictures.
std::string_view drawing_style();
std::string_view page_style();
std::string_view hover_script();

}  // namespace adassl::report
