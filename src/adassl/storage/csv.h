#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace adassl::storage {

/// Reads a table of comma-separated values, or of values separated by tabs if the file's name ends
/// in .tsv. Fields may be quoted as in RFC 4180: "a ""word"", and a comma". Lines end with LF or
/// CRLF; a byte order mark at the beginning is skipped. The reader is strict: every line has as
/// many fields as the first one, and a mistake is an Error that names `path:line`.
///
/// The first line names the columns. If there are numbers in it, and nothing else but NaN,
/// infinities and empty fields, the file has no such line, and the columns are called c0, c1, ...
class CsvReader {
 public:
  explicit CsvReader(const std::filesystem::path& path);

  const std::vector<std::string>& columns() const { return columns_; }
  /// The number of the column with this name; -1 if there is none.
  int64_t find(std::string_view column) const;
  /// The same, but an Error that lists the columns if there is none.
  int64_t require(std::string_view column) const;

  /// Reads the next line of values; false at the end of the file. The fields have the order of
  /// columns().
  bool next(std::vector<std::string>& fields);

  /// "path:line" of the line that was read last, for messages about its content.
  std::string where() const;
  int64_t line() const { return line_of_; }

 private:
  bool read_line(std::vector<std::string>& fields);
  void read_quoted(std::string& field);
  void read_plain(std::string& field);
  bool take_line_end();

  std::string name_;
  char separator_;
  std::string text_;
  size_t at_ = 0;
  int64_t line_ = 1;     // of the character at at_
  int64_t line_of_ = 1;  // where the line that was read last begins
  std::vector<std::string> columns_;
};

/// The value of a field that is a finite decimal number and nothing else; false otherwise.
bool parse_number(std::string_view field, double& value);

/// The field, quoted if it needs to be.
std::string csv_field(std::string_view field);

}  // namespace adassl::storage
