#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adassl::data {

/// Many short texts in one block of memory: the paths of a million files.
class Names {
 public:
  void add(std::string_view name) {
    text_ += name;
    ends_.push_back(text_.size());
  }
  int64_t count() const { return static_cast<int64_t>(ends_.size()); }
  std::string_view operator[](int64_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[static_cast<size_t>(i) - 1];
    return std::string_view(text_).substr(begin, ends_[static_cast<size_t>(i)] - begin);
  }
  void shrink() {
    text_.shrink_to_fit();
    ends_.shrink_to_fit();
  }

 private:
  std::string text_;
  std::vector<uint64_t> ends_;
};

/// "a/b" of "a/b/c.png"; "." of a name without a slash.
inline std::string_view folder_of(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view(".") : name.substr(0, slash);
}

/// "c.png" of "a/b/c.png".
inline std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('/') + 1);  // npos + 1 is 0
}

/// "a/b/c" of "a/b/c.png".
inline std::string_view without_extension(std::string_view name) {
  const size_t dot = name.rfind('.');
  const size_t slash = name.rfind('/');
  const size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  return dot == std::string_view::npos || dot <= begin ? name : name.substr(0, dot);
}

/// Orders names as people do: "frame 9" before "frame 10". Runs of digits are compared as numbers.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace adassl::data
