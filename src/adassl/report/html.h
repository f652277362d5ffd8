#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The few things every part of a page needs to write HTML and SVG as text.
namespace adassl::report {

/// Safe as text and as an attribute's value; control characters are dropped.
std::string escaped(std::string_view text);
/// A coordinate: at most one decimal, "0" for what is not finite.
std::string coordinate(double value);
/// "var(--c3)": the colour of a row. Colours repeat after kColours.
std::string colour_of(int64_t index);
inline constexpr int64_t kColours = 8;
/// Numbers with a real minus sign, escaped.
std::string typeset(std::string_view number);

/// A titled part of a page; all three are HTML already.
std::string section(std::string_view title, std::string_view note, std::string_view body);

/// A whole page; the body is HTML already.
std::string html_page(std::string_view title, std::string_view body);

/// A picture of its own, that follows the reader's light or dark mode; the body is SVG already.
std::string svg_picture(double width, double height, std::string_view body);
/// What fills such a picture with the colour of the paper; stands first in its body.
inline constexpr std::string_view kPaperGround =
    R"_(<rect width="100%" height="100%" style="fill:var(--paper)"/>)_";
/// The name of a column and a note below it, at the upper edge of a picture: 44 high.
std::string column_head(double x, std::string_view label, std::string_view note);
/// The bytes of a PNG file as a link that holds them, for pictures and pages without other files.
std::string png_link(std::string_view png);

/// The style sheets and the script (hover over learning curves) that stand inside each page. The
/// first, colours and what is drawn with them, also serves pictures of their own.
std::string_view drawing_style();
std::string_view page_style();
std::string_view hover_script();

}  // namespace adassl::report
