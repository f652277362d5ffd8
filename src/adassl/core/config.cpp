#include "adassl/core/config.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/core/toml.h"

namespace adassl {
namespace {

constexpr std::string_view kCommandLine = "command line";
constexpr uintmax_t kLargestFile = 4 << 20;

Scalar to_scalar(const toml::node& node, const std::string& origin) {
  if (const auto* v = node.as_boolean()) return v->get();
  if (const auto* v = node.as_integer()) return v->get();
  if (const auto* v = node.as_floating_point()) return v->get();
  if (const auto* v = node.as_string()) return v->get();
  throw Error(join("[", origin, "] expected a number, a text, true, false or a list of these"));
}

Value to_value(const toml::node& node, const std::string& origin) {
  if (const auto* array = node.as_array()) {
    std::vector<Scalar> list;
    for (const toml::node& element : *array) list.push_back(to_scalar(element, origin));
    return list;
  }
  return std::visit([](auto&& v) -> Value { return v; }, to_scalar(node, origin));
}

template <class Take>
void flatten(const toml::table& table, const std::string& prefix, const std::string& where,
             const Take& take) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const auto* inner = node.as_table()) {
      flatten(*inner, key + ".", where, take);
    } else if (node.is_array_of_tables()) {
      size_t index = 0;
      for (const toml::node& element : *node.as_array()) {
        flatten(*element.as_table(), fmt::format("{}.{}.", key, index++), where, take);
      }
    } else {
      const std::string origin = fmt::format("{}:{}", where, node.source().begin.line);
      take(key, to_value(node, origin), origin);
    }
  }
}

/// toml++ 3.3 follows dotted keys recursively and without a limit: a hostile file must not overflow
/// the stack.
void require_short_keys(std::string_view text, const std::string& where) {
  constexpr int kMostDots = 1000;
  int dots = 0;
  for (const char c : text) {
    if (c == '\n' || c == ',' || c == '=') dots = 0;
    ADASSL_CHECK(c != '.' || ++dots <= kMostDots, "[", where, "] expected keys of at most ",
                 kMostDots, " parts");
  }
}

toml::table parse(std::string_view text, const std::string& where) {
  require_short_keys(text, where);
  try {
    return toml::parse(text, std::string_view(where));
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("[{}:{}] not valid TOML: {}", where, error.source().begin.line,
                            error.description()));
  }
}

/// Parses one TOML value into a table with the single entry "value"; nullopt if the text is not one
/// TOML value.
std::optional<toml::table> parse_assignment(const std::string& value, const std::string& origin) {
  try {
    toml::table table = parse("value = " + value, origin);
    if (table.size() == 1) return table;
  } catch (const Error&) {
    // Not TOML: the caller takes it as plain text.
  }
  return std::nullopt;
}

/// Whether the value is "auto". It stands for a value that follows from the data, so comparisons
/// skip it.
bool is_auto(const Value& value) {
  const std::string text = to_toml(value);
  return text == "\"auto\"" || text == "[\"auto\"]";
}

/// The dotted key "a.b" as TOML; parts that are not bare keys are quoted.
std::string key_text(const std::string& key) {
  const auto is_bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  std::vector<std::string> names = text::split(key, '.');
  for (std::string& name : names) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_bare)) name = to_toml(name);
  }
  return fmt::format("{}", fmt::join(names, "."));
}

}  // namespace

Config Config::from_text(std::string_view text, const std::string& where) {
  Config config;
  config.where_ = where;
  flatten(parse(text, where), "", where,
          [&](const std::string& key, const Value& value, const std::string& origin) {
            const bool fresh = config.entries_.try_emplace(key, Entry{value, origin}).second;
            ADASSL_CHECK(fresh, "[", origin, "] the key '", key, "' is there twice");
          });
  config.require_leaves();
  return config;
}

Config Config::from_file(const std::filesystem::path& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  ADASSL_CHECK(std::filesystem::exists(status), "[", path.string(), "] no such file");
  ADASSL_CHECK(std::filesystem::is_regular_file(status), "[", path.string(),
               "] expected a TOML file, got a ",
               std::filesystem::is_directory(status) ? "folder" : "special file");
  const uintmax_t size = std::filesystem::file_size(path, code);
  ADASSL_CHECK(!code && size <= kLargestFile, "[", path.string(),
               "] expected a configuration of at most ", text::bytes(kLargestFile));
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text(size, '\0');
  if (!in || !in.read(text.data(), static_cast<std::streamsize>(size))) {
    const int reason = errno != 0 ? errno : EIO;
    throw ReadError(join("[", path.string(), "] cannot be read: ", std::strerror(reason)), reason);
  }
  return from_text(text, path.string());
}

/// Error if a key has a value and is a section as well. Only a quoted key can cause this:
/// a = 1, "a.b" = 2.
void Config::require_leaves() const {
  for (const auto& [key, entry] : entries_) {
    for (size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1)) {
      ADASSL_CHECK(!has(key.substr(0, dot)), "[", entry.origin, "] '", key,
                   "' lies below the key '", key.substr(0, dot), "', which has a value");
    }
  }
}

void Config::override_with(std::string_view assignment) {
  const size_t equals = assignment.find('=');
  ADASSL_CHECK(equals != std::string_view::npos && equals > 0, "[", kCommandLine,
               "] expected key=value, got '", assignment, "'");
  const std::string key = text::trim(assignment.substr(0, equals));
  const std::string value = text::trim(assignment.substr(equals + 1));
  const std::string origin = join(kCommandLine, ", ", key);
  const auto table = parse_assignment(value, origin);
  entries_[key] = {table ? to_value(*table->get("value"), origin) : Value(value), origin,
                   /*read=*/false, value};
}

Value Config::Entry::as_text() const {
  const bool number =
      std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value);
  if (!number) return value;
  return typed.empty() ? to_toml(value) : typed;
}

/// Nobody has to read a default: the part that it was meant for may not be there.
void Config::set_default(const std::string& key, const Value& value) {
  entries_.try_emplace(key, Entry{value, "default", /*read=*/true});
}

void Config::resolve(const std::string& key, const Value& value) {
  for (auto& [name, final_value] : resolved_) {
    if (name == key) final_value = value;
  }
}

void Config::keep_sections(const std::vector<std::string>& sections) {
  std::erase_if(entries_, [&](const auto& entry) {
    return std::ranges::none_of(sections, [&](const std::string& section) {
      return entry.first.starts_with(section + ".");
    });
  });
}

std::vector<std::string> Config::names_below(const std::string& section) const {
  std::set<std::string> names;
  const std::string prefix = section.empty() ? "" : section + ".";
  for (const auto& [key, entry] : entries_) {
    if (!key.starts_with(prefix)) continue;
    names.insert(key.substr(prefix.size(), key.find('.', prefix.size()) - prefix.size()));
  }
  return {names.begin(), names.end()};
}

int64_t Config::count(const std::string& section) const {
  return static_cast<int64_t>(names_below(section).size());
}

std::string Config::read_text(const std::string& key, const std::string& otherwise,
                              std::string_view help, const Choices& choices) {
  std::string value = otherwise;
  Reader reader(*this, "");
  reader(key, value, help, choices);
  return value;
}

std::string Config::difference_from(const Config& other) const {
  const auto shown = [](const Value& value) {  // 1 and 1.0 are the same number
    const auto* whole = std::get_if<int64_t>(&value);
    return to_toml(whole != nullptr ? Value(static_cast<double>(*whole)) : value);
  };
  for (const auto& [key, entry] : entries_) {
    if (key == "compute.threads" || is_auto(entry.value)) continue;
    const auto found = other.entries_.find(key);
    if (found == other.entries_.end()) return fmt::format("{} is missing there", key);
    const bool same = shown(found->second.value) == shown(entry.value) ||
                      found->second.as_text() == entry.as_text();  // a number given for a text
    if (!same) {
      return fmt::format("{} is {} there, and {} here", key, to_toml(found->second.value),
                         to_toml(entry.value));
    }
  }
  return "";
}

std::string Config::key_missing_in(const Config& other) const {
  for (const auto& [key, entry] : entries_) {
    if (key != "compute.threads" && !other.has(key)) return key;
  }
  return "";
}

std::string Config::given() const {
  std::string out;
  for (const auto& [key, entry] : entries_) {
    out += fmt::format("{} = {}\n", key_text(key), to_toml(entry.value));
  }
  return out;
}

namespace {

/// Suggests a replacement for an unknown key: a known key with the same last name in another
/// section (the one with the fewest dots), otherwise a key whose last name is similar. Comparing
/// whole keys alone would not work: a long section name dominates their edit distance.
std::string hint_for(const std::string& key, const std::vector<std::string>& known) {
  const auto name = [](const std::string& of) { return of.substr(of.rfind('.') + 1); };
  const auto depth = [](const std::string& of) { return std::count(of.begin(), of.end(), '.'); };
  std::vector<std::string> same, alike;
  for (const std::string& other : known) {
    if (name(other) == name(key)) same.push_back(other);
    if (!text::nearest(name(key), {name(other)}).empty()) alike.push_back(other);
  }
  const auto best = std::min_element(
      same.begin(), same.end(), [&](const auto& a, const auto& b) { return depth(a) < depth(b); });
  if (best != same.end()) return fmt::format("; did you mean '{}'?", *best);
  return text::did_you_mean(key, alike);
}

}  // namespace

void Config::require_all_read() const {
  std::vector<std::string> known;
  known.reserve(resolved_.size());
  for (const auto& [name, value] : resolved_) known.push_back(name);
  for (const auto& [key, entry] : entries_) {
    if (entry.read) continue;
    throw Error(fmt::format("[{}] unknown key '{}': no chosen part reads it{}", entry.origin, key,
                            hint_for(key, known)));
  }
}

std::string Config::resolved() const {
  std::string top;
  std::vector<std::pair<std::string, std::string>> sections;  // in the order of first reading
  for (const auto& [key, value] : resolved_) {
    const size_t dot = key.rfind('.');
    const std::string line = fmt::format(
        "{} = {}\n", key_text(key.substr(dot == std::string::npos ? 0 : dot + 1)), to_toml(value));
    if (dot == std::string::npos) {
      top += line;
      continue;
    }
    const std::string section = key.substr(0, dot);
    auto found = std::find_if(sections.begin(), sections.end(),
                              [&](const auto& s) { return s.first == section; });
    if (found == sections.end()) found = sections.insert(sections.end(), {section, ""});
    found->second += line;
  }
  for (const auto& [section, lines] : sections)
    top += fmt::format("\n[{}]\n{}", key_text(section), lines);
  return top;
}

}  // namespace adassl
