#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "adassl/core/config.h"
#include "adassl/core/error.h"
#include "adassl/core/text.h"

namespace adassl {
namespace {

std::string shown(Range range) {
  return fmt::format("from {} to {}", text::shortest(range.min), text::shortest(range.max));
}

}  // namespace

Reader::Reader(Config& config, std::string section)
    : config_(config), prefix_(section.empty() ? "" : std::move(section) + ".") {}

template <class T, class Convert>
void Reader::take(std::string_view name, T& value, Convert convert) {
  const std::string key = prefix_ + std::string(name);
  if (const auto found = config_.entries_.find(key); found != config_.entries_.end()) {
    found->second.read = true;
    const std::string wish = convert(found->second);  // empty if the conversion succeeded
    ADASSL_CHECK(wish.empty(), "[", found->second.origin, "] ", key, ": expected ", wish, ", got ",
                 to_toml(found->second.value));
  }
  Value final_value;
  if constexpr (std::is_same_v<T, std::vector<Scalar>>) {
    final_value = value;
  } else {
    final_value = Value(value);
  }
  for (auto& [known, known_value] : config_.resolved_) {
    if (known == key) {
      known_value = final_value;
      return;
    }
  }
  config_.resolved_.emplace_back(key, final_value);
}

namespace {

bool to_number(const Scalar& from, double& to) {
  if (const auto* whole = std::get_if<int64_t>(&from))
    return to = static_cast<double>(*whole), true;
  if (const auto* real = std::get_if<double>(&from)) return to = *real, true;
  return false;
}

std::string convert(const Scalar& from, bool& to) {
  if (const auto* flag = std::get_if<bool>(&from)) return to = *flag, "";
  return "true or false";
}

std::string convert(const Scalar& from, int64_t& to, Range range) {
  double number = 0;
  const bool fits = to_number(from, number) && number == std::floor(number) &&
                    number >= range.min && number <= range.max;
  if (!fits) return "a whole number " + shown(range);
  const auto* whole = std::get_if<int64_t>(&from);
  to = whole != nullptr ? *whole : static_cast<int64_t>(number);
  return "";
}

std::string convert(const Scalar& from, double& to, Range range) {
  double number = 0;
  if (!to_number(from, number) || !(number >= range.min && number <= range.max)) {
    return "a number " + shown(range);
  }
  to = number;
  return "";
}

/// A number stands for its text.
std::string convert(const Scalar& from, std::string& to, const Choices& choices) {
  if (std::holds_alternative<bool>(from)) return "a text";
  const auto* held = std::get_if<std::string>(&from);
  const auto written = [](const auto& number) { return to_toml(number); };
  const std::string word = held != nullptr ? *held : std::visit(written, from);
  if (!choices.empty() && std::find(choices.begin(), choices.end(), word) == choices.end()) {
    return "one of " + text::list(choices) + text::did_you_mean(word, choices);
  }
  to = word;
  return "";
}

/// Converts a single value. A list is rejected with the same message as a value of the wrong type.
template <class... Args>
std::string convert_value(const Value& from, Args&&... args) {
  return std::visit(
      [&](const auto& held) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::vector<Scalar>>) {
          return convert(Scalar(std::string()), args...);
        } else {
          return convert(Scalar(held), args...);
        }
      },
      from);
}

}  // namespace

template <class T, class Convert>
void Reader::take_list(std::string_view name, std::vector<T>& value, Convert convert_element) {
  std::vector<Scalar> shown_value(value.begin(), value.end());
  take(name, shown_value, [&](const auto& entry) -> std::string {
    const Value from = std::is_same_v<T, std::string> ? entry.as_text() : entry.value;
    const auto* list = std::get_if<std::vector<Scalar>>(&from);
    std::vector<Scalar> single;
    if (const auto* word = std::get_if<std::string>(&from);
        list == nullptr && word != nullptr && std::is_same_v<T, std::string>) {
      single = {Scalar(*word)};  // a text stands for a list of one
      list = &single;
    }
    if (list == nullptr) return "a list, as in [1, 2]";
    std::vector<T> converted(list->size());
    for (size_t i = 0; i < list->size(); ++i) {
      T element{};
      const std::string wish = convert_element((*list)[i], element);
      if (!wish.empty()) return "a list, each element " + wish;
      converted[i] = element;
    }
    value = std::move(converted);
    shown_value.assign(value.begin(), value.end());
    return "";
  });
}

void Reader::operator()(std::string_view name, bool& value, std::string_view) {
  take(name, value, [&](const auto& entry) { return convert_value(entry.value, value); });
}
void Reader::operator()(std::string_view name, int64_t& value, std::string_view, Range range) {
  take(name, value, [&](const auto& entry) { return convert_value(entry.value, value, range); });
}
void Reader::operator()(std::string_view name, double& value, std::string_view, Range range) {
  take(name, value, [&](const auto& entry) { return convert_value(entry.value, value, range); });
}
void Reader::operator()(std::string_view name, std::string& value, std::string_view,
                        const Choices& choices) {
  take(name, value, [&](const auto& entry) {
    const Value from = entry.as_text();
    if (std::holds_alternative<std::vector<Scalar>>(from)) return std::string("a text, no list");
    return convert_value(from, value, choices);
  });
}
void Reader::operator()(std::string_view name, std::vector<int64_t>& value, std::string_view,
                        Range range) {
  take_list(name, value, [&](const Scalar& from, int64_t& to) { return convert(from, to, range); });
}
void Reader::operator()(std::string_view name, std::vector<double>& value, std::string_view,
                        Range range) {
  take_list(name, value, [&](const Scalar& from, double& to) { return convert(from, to, range); });
}
void Reader::operator()(std::string_view name, std::vector<std::string>& value, std::string_view,
                        const Choices& choices) {
  take_list(name, value,
            [&](const Scalar& from, std::string& to) { return convert(from, to, choices); });
}

}  // namespace adassl
