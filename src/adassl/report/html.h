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

/// The style sheets and the script (hover over learning curves) that stand inside each page. The
/// first, colours and what is drawn with them, also serves pictures of their own.
std::string_view drawing_style();
std::string_view page_style();
std::string_view hover_script();

}  // namespace adassl::report
