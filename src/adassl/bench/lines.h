#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "adassl/bench/bench.h"
#include "adassl/storage/json_lines.h"

namespace adassl::bench {

using nlohmann::ordered_json;

/// The measured rows as JSON: on the terminal with --json, and as records in a file if one is
/// named.
class Lines {
 public:
  /// `machine` is what a record says about the machine beside its processor. Error if the file
  /// cannot be opened.
  Lines(const Options& options, ordered_json machine);

  /// A record says more than a printed line: `of_records`, the commit, the time and the machine.
  void add(const ordered_json& row, const ordered_json& of_records = ordered_json::object());

 private:
  bool printed_;
  ordered_json machine_;
  std::optional<storage::JsonLinesWriter> file_;
};

/// null where there is no value.
template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

/// The value as `format` says, "-" where there is none.
std::string cell(const char* format, const std::optional<double>& value);

}  // namespace adassl::bench
