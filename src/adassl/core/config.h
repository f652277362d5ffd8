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

  /// "train.steps=20000"; the value is TOML, or plain text where that is no TOML.
  void override_with(std::string_view assignment);
  /// Sets the key unless it is there already.
  void set_default(const std::string& key, const Value& value);
  /// What a key that was read means in the end, for the resolved configuration ("0 threads" -> 2).
  void resolve(const std::string& key, const Value& value);

  bool has(const std::string& key) const { return entries_.contains(key); }
  /// The names directly below a section, in sorted order.
  std::vector<std::string> names_below(const std::string& section) const;
  /// How many numbered sections ("rows.0", "rows.1", ...) there are.
  int64_t count(const std::string& section) const;

  /// Fills the struct from the keys of one section ("" is the top) and checks types and ranges;
  /// what has no key stays as it is.
  template <class Options>
  Options read(const std::string& section, Options options = {}) {
    read_fields(section, [&](Fields& fields) { options.visit(fields); });
    return options;
  }
  /// The same for a single text key.
  std::string read_text(const std::string& key, const std::string& otherwise, std::string_view help,
                        const Choices& choices = {});

  /// The first key of this configuration that `other` lacks or gives another value, as a sentence;
  /// empty when there is none. The number of threads does not count, nor do values of "auto".
  std::string difference_from(const Config& other) const;

  /// The first key of this configuration that `other` does not have; empty when there is none. The
  /// number of threads does not count here either.
  std::string key_missing_in(const Config& other) const;

  /// All keys with their values, as TOML: what was asked for, before anybody read it.
  std::string given() const;

  /// Every key must have been read by now: an unread one is an error that names the nearest known.
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
