#include "adassl/data/samples/names.h"

namespace adassl::data {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

/// Takes a run of digits off the text, without its leading zeros.
std::string_view take_number(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && digit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  text.remove_prefix(end);
  return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (digit(a.front()) && digit(b.front())) {
      const std::string_view left = take_number(a), right = take_number(b);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // such as "1" and "01"
}

}  // namespace adassl::data
