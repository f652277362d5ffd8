#include "adassl/core/options.h"

#include <cmath>

#include <fmt/format.h>

#include "adassl/core/text.h"

namespace adassl {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

struct Toml {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::string out = text::shortest(value);
    return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
  }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(const std::vector<Scalar>& values) const {
    std::vector<std::string> parts;
    parts.reserve(values.size());
    for (const Scalar& value : values) parts.push_back(std::visit(*this, value));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
};

template <class T>
Value as_list(const std::vector<T>& values) {
  return std::vector<Scalar>(values.begin(), values.end());
}

std::string shown(Range range) {
  return fmt::format("{} to {}", text::shortest(range.min), text::shortest(range.max));
}

}  // namespace

std::string to_toml(const Value& value) { return std::visit(Toml{}, value); }

void Describer::operator()(std::string_view name, bool& value, std::string_view help) {
  fields.push_back({std::string(name), "bool", to_toml(value), "", std::string(help)});
}
void Describer::operator()(std::string_view name, int64_t& value, std::string_view help,
                           Range range) {
  fields.push_back({std::string(name), "int", to_toml(value), shown(range), std::string(help)});
}
void Describer::operator()(std::string_view name, double& value, std::string_view help,
                           Range range) {
  fields.push_back({std::string(name), "float", to_toml(value), shown(range), std::string(help)});
}
void Describer::operator()(std::string_view name, std::string& value, std::string_view help,
                           const Choices& choices) {
  fields.push_back({std::string(name), "text", to_toml(value),
                    fmt::format("{}", fmt::join(choices, " | ")), std::string(help)});
}
void Describer::operator()(std::string_view name, std::vector<int64_t>& value,
                           std::string_view help, Range range) {
  fields.push_back(
      {std::string(name), "int list", to_toml(as_list(value)), shown(range), std::string(help)});
}
void Describer::operator()(std::string_view name, std::vector<double>& value, std::string_view help,
                           Range range) {
  fields.push_back(
      {std::string(name), "float list", to_toml(as_list(value)), shown(range), std::string(help)});
}
void Describer::operator()(std::string_view name, std::vector<std::string>& value,
                           std::string_view help, const Choices& choices) {
  fields.push_back({std::string(name), "text list", to_toml(as_list(value)),
                    fmt::format("{}", fmt::join(choices, " | ")), std::string(help)});
}
void Describer::path(std::string_view name, std::string& value, std::string_view help,
                     const Choices& words) {
  fields.push_back({std::string(name), std::string(kPathType), to_toml(value),
                    fmt::format("{}", fmt::join(words, " | ")), std::string(help)});
}

}  // namespace adassl
