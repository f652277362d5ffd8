#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "adassl/storage/checksum.h"
#include "adassl/storage/file.h"

/// Records: one JSON value per line. A last line without a newline was cut off when a process was
/// killed, and is dropped.
namespace adassl::storage {

/// A value as text without a newline, on one line unless `indent` is given. What JSON cannot hold
/// is replaced: NaN by null, and bad UTF-8, which the name of a file may have, by U+FFFD.
template <class Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Reads all lines. Throws an Error that names `path:line` if a line is not valid JSON.
std::vector<nlohmann::json> read_json_lines(const std::filesystem::path& path);

/// The same, but skips lines that are not valid JSON.
std::vector<nlohmann::json> read_good_json_lines(const std::filesystem::path& path);

/// Removes all lines but those for which `keep` holds; these stay byte for byte as they were. Lines
/// that are not valid JSON, which a power failure may leave, are removed too; returns how many
/// there were. A missing file is no error. No other process may append to the file meanwhile.
size_t keep_lines(const std::filesystem::path& path,
                  const std::function<bool(const nlohmann::json&)>& keep);

/// The length of a file at some moment, and the checksum of its content.
struct Extent {
  uint64_t bytes = 0;
  std::string sum;  // checksum of these bytes

  bool operator==(const Extent&) const = default;
};

/// Truncates the file to what it was at that moment. Returns false and changes nothing when it no
/// longer begins with these bytes.
bool cut_to(const std::filesystem::path& path, const Extent& extent);

/// Appends lines. A full disk neither loses lines nor throws: lines that cannot be written stay
/// pending in memory for the next flush, and the file always ends with a whole line.
class JsonLinesWriter {
 public:
  /// Opens or creates the file and removes an incomplete last line; WriteError when it cannot be
  /// opened.
  explicit JsonLinesWriter(const std::filesystem::path& path);
  JsonLinesWriter(JsonLinesWriter&& other) noexcept = default;
  JsonLinesWriter& operator=(JsonLinesWriter&&) = delete;
  /// Flushes once more; a failure is ignored.
  ~JsonLinesWriter();

  /// Appends json_text(record).
  void append(const nlohmann::json& record) { append_line(json_text(record)); }
  /// Keeps the order of the keys. A template, so that append({{"step", 1}}) is not ambiguous.
  template <std::same_as<nlohmann::ordered_json> Json>
  void append(const Json& record) {
    append_line(json_text(record));
  }
  /// One line of JSON, without its newline.
  void append_line(const std::string& line);

  /// Writes the pending lines. Returns false on failure; last_error() then says why.
  bool flush();
  /// Calls flush() and waits for the disk. After a failure the kernel may have dropped its buffers,
  /// so the next flush writes all lines since the last successful sync again.
  bool sync();
  /// The same, but a failure is a WriteError.
  void sync_or_throw();

  /// "[path] cannot be written: No space left on device"; empty after a success.
  const std::string& last_error() const { return last_error_; }
  size_t pending_bytes() const { return pending_.size(); }
  /// The extent of everything written so far.
  Extent extent() const { return {end_, sum_.hex()}; }

 private:
  bool report(int code);

  std::string name_;
  FileDescriptor file_;
  uint64_t end_ = 0;      // everything before this offset is complete lines
  Checksum sum_;          // of the bytes before end_
  std::string pending_;   // not yet written
  uint64_t durable_ = 0;  // everything before this offset is on the disk
  Checksum durable_sum_;  // of the bytes before durable_
  std::string unsynced_;  // the bytes from durable_ to end_: written, not yet synced
  int last_code_ = 0;
  std::string last_error_;
};

}  // namespace adassl::storage
