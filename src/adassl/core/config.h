#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adassl/core/options.h"

namespace adassl {

/// A configuration: dotted keys and their values ("train.steps" = 20000), from a TOML file and
/// `key=value` overrides. Visited option structs read it; each key remembers whether somebody did.
/// Arrays of tables become numbered sections ("rows.0.label").
class Config {
 public:
  static Config from_file(const std::filesystem::path& path);
  /// `where` names the text in messages.
  static Config from_text(std::string_view text, const std::string& where);

  /// Applies an override such as "train.steps=20000". The value is parsed as TOML, or taken as
  /// plain text if it is not valid TOML. Where a text is expected, a number is what was typed.
  void override_with(std::string_view assignment);
  /// Sets the key unless it already has a value.
  void set_default(const std::string& key, const Value& value);
  /// Removes the key, if it is there.
  void remove(const std::string& key) { entries_.erase(key); }
  /// Removes all keys but those of these sections.
  void keep_sections(const std::vector<std::string>& sections);
  /// Records the final value of a key that was read, for the resolved configuration. For
  /// example, 0 threads become 2.
  void resolve(const std::string& key, const Value& value);

  bool has(const std::string& key) const { return entries_.contains(key); }
  /// The names directly below a section, in sorted order.
  std::vector<std::string> names_below(const std::string& section) const;
  /// How many numbered sections ("rows.0", "rows.1", ...) there are.
  int64_t count(const std::string& section) const;

  /// Fills the struct from the keys of one section ("" is the top) and checks types and ranges;
  /// fields without a key keep their values.
  template <class Options>
  Options read(const std::string& section, Options options = {}) {
    read_fields(section, [&](Fields& fields) { options.visit(fields); });
    return options;
  }
  /// The same for a single text key; `otherwise` is its default.
  std::string read_text(const std::string& key, const std::string& otherwise, std::string_view help,
                        const Choices& choices = {});

  /// Describes the first key of this configuration that `other` lacks or has with another value;
  /// empty when there is none. Ignores the number of threads and keys that are "auto" in this
  /// configuration.
  std::string difference_from(const Config& other) const;

  /// The first key of this configuration that `other` does not have; empty when there is none.
  /// Ignores the number of threads.
  std::string key_missing_in(const Config& other) const;

  /// All keys with their values, as TOML: what was asked for, before anybody read it.
  std::string given() const;

  /// Throws an Error for a key that nobody has read; the message suggests a similar known key.
  void require_all_read() const;

  /// All keys that were read, with their final values, in the order of reading; and as TOML.
  const std::vector<std::pair<std::string, Value>>& resolved_values() const { return resolved_; }
  std::string resolved() const;
  const std::string& where() const { return where_; }

 private:
  friend class Reader;
  struct Entry {
    Value value;
    std::string origin;  // "file.toml:12" or "command line"
    bool read = false;
    std::string typed = {};  // the value as it stands on the command line

    /// What a text option makes of the value: a number stands for its text.
    Value as_text() const;
  };

  template <class Visit>
  void read_fields(const std::string& section, Visit visit);
  void require_leaves() const;

  std::string where_;
  std::map<std::string, Entry> entries_;
  std::vector<std::pair<std::string, Value>> resolved_;  // in the order of reading
};

/// Fills visited options from a Config.
class Reader final : public Fields {
 public:
  Reader(Config& config, std::string section);
  void operator()(std::string_view name, bool& value, std::string_view help) override;
  void operator()(std::string_view name, int64_t& value, std::string_view help,
                  Range range) override;
  void operator()(std::string_view name, double& value, std::string_view help,
                  Range range) override;
  void operator()(std::string_view name, std::string& value, std::string_view help,
                  const Choices& choices) override;
  void operator()(std::string_view name, std::vector<int64_t>& value, std::string_view help,
                  Range range) override;
  void operator()(std::string_view name, std::vector<double>& value, std::string_view help,
                  Range range) override;
  void operator()(std::string_view name, std::vector<std::string>& value, std::string_view help,
                  const Choices& choices) override;

 private:
  template <class T, class Convert>
  void take(std::string_view name, T& value, Convert convert);
  template <class T, class Convert>
  void take_list(std::string_view name, std::vector<T>& value, Convert convert);

  Config& config_;
  std::string prefix_;
};

template <class Visit>
void Config::read_fields(const std::string& section, Visit visit) {
  Reader reader(*this, section);
  visit(reader);
}

}  // namespace adassl
