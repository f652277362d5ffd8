#include "adassl/storage/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/storage/file.h"
#include "adassl/storage/safetensors_header.h"

namespace adassl::storage {
namespace {

constexpr size_t kMostColumns = 100'000;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view without_blanks(std::string_view field) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!field.empty() && blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && blank(field.back())) field.remove_suffix(1);
  return field;
}

/// The same as parse_number, but NaN and infinities are numbers, too.
bool parse_any_number(std::string_view field, double& value) {
  field = without_blanks(field);
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
  return code == std::errc() && end == field.data() + field.size() && !field.empty();
}

/// Whether the first line holds values, not the names of the columns.
bool holds_values(const std::vector<std::string>& fields) {
  double value = 0;
  const auto could_be_value = [&](const std::string& field) {
    return without_blanks(field).empty() || parse_any_number(field, value);
  };
  return std::ranges::all_of(fields, could_be_value) &&
         std::ranges::any_of(fields, [&](const auto& f) { return parse_number(f, value); });
}

void require_distinct(std::vector<std::string> names, const std::string& where) {
  std::ranges::sort(names);
  ADASSL_CHECK(!names.front().empty(), "[", where, "] expected a name for every column, got none");
  const auto twice = std::ranges::adjacent_find(names);
  ADASSL_CHECK(twice == names.end(), "[", where, "] expected columns of different names, got '",
               printable(*twice), "' twice");
}

}  // namespace

CsvReader::CsvReader(const std::filesystem::path& path)
    : name_(path.string()),
      separator_(text::lower_case(path.extension().string()) == ".tsv" ? '\t' : ','),
      text_(read_file(path, host::available_memory() / 2)) {
  if (std::string_view(text_).starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  const size_t begin = at_;
  ADASSL_CHECK(read_line(columns_), "[", name_, "] expected a table, got an empty file");
  if (!holds_values(columns_)) {
    require_distinct(columns_, where());
    return;
  }
  at_ = begin;
  line_ = 1;
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i] = join("c", i);
}

int64_t CsvReader::find(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  return found == columns_.end() ? -1 : found - columns_.begin();
}

int64_t CsvReader::require(std::string_view column) const {
  const int64_t found = find(column);
  if (found >= 0) return found;
  constexpr size_t kShown = 12;
  std::vector<std::string> shown(columns_.begin(),
                                 columns_.begin() + std::min(kShown, columns_.size()));
  if (shown.size() < columns_.size()) shown.emplace_back("...");
  throw Error(join("[", name_, "] expected a column '", column, "', got ",
                   printable(text::list(shown)), text::did_you_mean(column, columns_)));
}

std::string CsvReader::where() const { return join(name_, ":", line_of_); }

bool CsvReader::next(std::vector<std::string>& fields) {
  if (!read_line(fields)) return false;
  ADASSL_CHECK(fields.size() == columns_.size(), "[", where(), "] expected ", columns_.size(),
               columns_.size() == 1 ? " field, got " : " fields, got ", fields.size());
  return true;
}

bool CsvReader::read_line(std::vector<std::string>& fields) {
  if (at_ == text_.size()) return false;
  line_of_ = line_;
  for (size_t count = 0;;) {
    ADASSL_CHECK(count < kMostColumns, "[", where(), "] expected at most ", kMostColumns,
                 " fields in a line");
    if (fields.size() == count) fields.emplace_back();
    std::string& field = fields[count++];
    field.clear();
    if (at_ < text_.size() && text_[at_] == '"') {
      read_quoted(field);
    } else {
      read_plain(field);
    }
    if (at_ < text_.size() && text_[at_] == separator_) {
      ++at_;
      continue;
    }
    ADASSL_CHECK(take_line_end(), "[", where(), "] expected '",
                 separator_ == '\t' ? "tab" : std::string(1, separator_),
                 "' or the end of the line after a field, got something else");
    fields.resize(count);
    return true;
  }
}

void CsvReader::read_quoted(std::string& field) {
  for (++at_;; ++at_) {
    const size_t end = text_.find('"', at_);
    ADASSL_CHECK(end != std::string::npos, "[", where(), "] expected a closing quote, got none");
    field.append(text_, at_, end - at_);
    at_ = end + 1;
    if (at_ == text_.size() || text_[at_] != '"') break;
    field += '"';
  }
  line_ += std::ranges::count(field, '\n');
  ADASSL_CHECK(field.find('\0') == std::string::npos, "[", where(),
               "] expected text, got a zero byte");
}

void CsvReader::read_plain(std::string& field) {
  const size_t begin = at_;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == separator_ || c == '\n' || c == '\r') break;
    ADASSL_CHECK(c != '\0', "[", where(), "] expected text, got a zero byte");
    ADASSL_CHECK(c != '"', "[", where(), "] expected a quote only around a whole field, got one ",
                 "inside a field");
  }
  field.assign(text_, begin, at_ - begin);
}

bool CsvReader::take_line_end() {
  if (at_ == text_.size()) return true;
  if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
  if (text_[at_] != '\n') return false;
  ++at_;
  ++line_;
  return true;
}

bool parse_number(std::string_view field, double& value) {
  return parse_any_number(field, value) && std::isfinite(value);
}

std::string csv_field(std::string_view field) {
  if (field.find_first_of(",\"\r\n\t") == std::string_view::npos) return std::string(field);
  std::string out = "\"";
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace adassl::storage
