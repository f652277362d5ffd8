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

/// Records: one JSON value a line. A line counts once its newline is there; a last line without one
/// was torn when a process was killed, and is dropped.
namespace adassl::storage {

/// A bad line is an Error that names `path:line`.
std::vector<nlohmann::json> read_json_lines(const std::filesystem::path& path);

/// The same, but bad lines are left out.
std::vector<nlohmann::json> read_good_json_lines(const std::filesystem::path& path);

/// Rewrites the file with only those lines for which `keep` holds, each byte for byte as it was,
/// and returns how many others were no JSON: a power failure may leave some. A file that is not
/// there has nothing to cut. Nobody may have it open for appending meanwhile.
size_t keep_lines(const std::filesystem::path& path,
                  const std::function<bool(const nlohmann::json&)>& keep);

/// How long a file was at some moment, and what it held.
struct Extent {
  uint64_t bytes = 0;
  std::string sum;  // of these bytes

  bool operator==(const Extent&) const = default;
};

/// Cuts the file to what it was at that moment. False, and nothing happens, when it no longer
/// begins with these bytes.
bool cut_to(const std::filesystem::path& path, const Extent& extent);

/// Appends lines. A full disk loses none of them and stops nobody: lines that cannot be written
/// stay pending in memory for the next flush, and the file always ends with a whole line.
class JsonLinesWriter {
 public:
  /// Opens or creates the file and cuts a torn last line; WriteError when it cannot be opened.
  explicit JsonLinesWriter(const std::filesystem::path& path);
  JsonLinesWriter(JsonLinesWriter&& other) noexcept = default;
  JsonLinesWriter& operator=(JsonLinesWriter&&) = delete;
  /// Tries a last flush.
  ~JsonLinesWriter();

  /// What JSON cannot hold is replaced: NaN by null, bad UTF-8 by U+FFFD.
  void append(const nlohmann::json& record) { append_line(text_of(record)); }
  /// Keeps the order of the keys. A template, so that append({{"step", 1}}) is not ambiguous.
  template <std::same_as<nlohmann::ordered_json> Json>
  void append(const Json& record) {
    append_line(text_of(record));
  }
  /// One line of JSON, without its newline.
  void append_line(const std::string& line);

  /// Writes what is pending; false, and last_error() says why, when that failed.
  bool flush();
  /// flush() and wait for the disk. After a failure the kernel may have dropped what it held: all
  /// lines since the last success are written again with the next flush.
  bool sync();
  /// The same, but a failure is a WriteError.
  void sync_or_throw();

  /// "[path] cannot be written: No space left on device"; empty after a success.
  const std::string& last_error() const { return last_error_; }
  size_t pending_bytes() const { return pending_.size(); }
  /// Of all that was written so far.
  Extent extent() const { return {end_, sum_.hex()}; }

 private:
  template <class Json>
  static std::string text_of(const Json& record) {
    return record.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  bool report(int code);

  std::string name_;
  FileDescriptor file_;
  uint64_t end_ = 0;      // all before is whole lines
  Checksum sum_;          // of all before end_
  std::string pending_;   // not yet written
  uint64_t durable_ = 0;  // all before has reached the disk
  Checksum durable_sum_;  // of all before durable_
  std::string unsynced_;  // written, from durable_ to end_
  int last_code_ = 0;
  std::string last_error_;
};

}  // namespace adassl::storage
