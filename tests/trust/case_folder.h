#pragma once

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include <stdlib.h>

namespace adassl::trust {

/// The folder of one case. It is removed at the end, unless something was wrong and the user wants
/// to see it.
class CaseFolder {
 public:
  explicit CaseFolder(bool may_stay) : may_stay_(may_stay) {
    const auto parent = std::filesystem::canonical(std::filesystem::temp_directory_path());
    std::string name = (parent / "adassl-trust-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~CaseFolder() {
    std::error_code ignored;
    if (!stays_) std::filesystem::remove_all(path_, ignored);
  }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void keep_for_inspection() { stays_ = may_stay_; }

 private:
  std::filesystem::path path_;
  bool may_stay_;
  bool stays_ = false;
};

/// Line breaks become " / ".
inline std::string one_line_of(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += " / ";
    } else if (c != '\r') {
      out += c;
    }
  }
  return out;
}

}  // namespace adassl::trust
