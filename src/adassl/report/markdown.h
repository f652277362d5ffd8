#pragma once

#include <string>

namespace adassl::report {

/// Replaces control characters: a record must not move the cursor of a terminal or end a Markdown
/// row.
std::string one_line(std::string text);

/// The text on one line, without effect as Markdown.
std::string markdown_escaped(const std::string& text);

}  // namespace adassl::report
