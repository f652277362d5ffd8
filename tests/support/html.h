#pragma once

#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace adassl::testing {

/// Describes the first error in the nesting of the page's tags; empty if there is none.
inline std::string unbalanced(const std::string& html) {
  static const std::set<std::string> kVoid = {"meta", "br", "!doctype"};
  std::vector<std::string> open;
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const size_t end = html.find('>', at);
    if (end == std::string::npos) return "a tag without end";
    const bool closes = html[at + 1] == '/';
    const size_t start = at + (closes ? 2 : 1);
    std::string name = html.substr(start, html.find_first_of(" />\n", start) - start);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name.empty()) return "a bare < in: " + html.substr(at, 60);
    if (closes) {
      if (open.empty() || open.back() != name) {
        return "</" + name + "> closes <" + (open.empty() ? "" : open.back()) + ">";
      }
      open.pop_back();
    } else if (html[end - 1] != '/' && !kVoid.contains(name)) {
      open.push_back(name);
    }
    if (!closes && (name == "script" || name == "style")) at = html.find("</" + name, at) - 1;
  }
  return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

}  // namespace adassl::testing
