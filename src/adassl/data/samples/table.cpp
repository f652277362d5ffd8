#include "adassl/data/samples/table.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "adassl/core/error.h"
#include "adassl/data/samples/name_finder.h"
#include "adassl/storage/csv.h"
#include "adassl/storage/safetensors_header.h"

namespace adassl::data {
namespace {

constexpr int64_t kNone = -1;  // no sample

/// What is known about a file before its columns are kept.
struct FirstReading {
  std::vector<std::string> columns;
  std::vector<int64_t> words;  // how many cells of each column are no numbers
  int64_t rows = 0;
};

using OnRow = std::function<void(const std::vector<std::string>&, const storage::CsvReader&)>;

/// `row` is called for each line.
FirstReading read_first(const std::filesystem::path& path, const OnRow& row = {}) {
  storage::CsvReader reader(path);
  FirstReading out{reader.columns(), std::vector<int64_t>(reader.columns().size())};
  double ignored = 0;
  for (std::vector<std::string> fields; reader.next(fields); ++out.rows) {
    if (row) row(fields, reader);
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!storage::parse_number(fields[i], ignored)) ++out.words[i];
    }
  }
  return out;
}

std::vector<bool> hold_words(const FirstReading& found) {
  std::vector<bool> out;
  for (const int64_t words : found.words) out.push_back(words > 0);
  return out;
}

std::vector<int64_t> every_row(int64_t rows) {
  std::vector<int64_t> out(static_cast<size_t>(rows));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

/// Told about a cell that should be a number.
using OnFault = std::function<void(const storage::CsvReader&, const std::string& column,
                                   const std::string& cell, size_t row)>;

/// Reads the file again: line k belongs to sample sample_of[k].
DataColumns read_columns(const std::filesystem::path& path, const std::vector<bool>& words,
                         const std::vector<int64_t>& sample_of, int64_t skipped,
                         const OnFault& on_fault = {}) {
  storage::CsvReader reader(path);
  std::vector<ColumnBuilder> builders;
  for (size_t i = 0; i < words.size(); ++i) builders.emplace_back(reader.columns()[i], words[i]);
  size_t line = 0;
  for (std::vector<std::string> fields; reader.next(fields); ++line) {
    ADASSL_CHECK(line < sample_of.size(), "[", path.string(), "] changed while it was read");
    if (sample_of[line] == kNone) continue;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (static_cast<int64_t>(i) == skipped || builders[i].add(fields[i])) continue;
      ADASSL_CHECK(on_fault, "[", path.string(), "] changed while it was read");
      on_fault(reader, reader.columns()[i], fields[i], line);
    }
  }
  std::vector<int64_t> line_of;  // of each sample, among the lines that belong to one
  for (const int64_t sample : sample_of) {
    if (sample != kNone) line_of.push_back(sample);
  }
  std::vector<int64_t> order(line_of.size());
  for (size_t k = 0; k < line_of.size(); ++k) {
    order[static_cast<size_t>(line_of[k])] = static_cast<int64_t>(k);
  }
  const bool sorted = std::ranges::is_sorted(order);
  DataColumns out;
  for (size_t i = 0; i < builders.size(); ++i) {
    if (static_cast<int64_t>(i) == skipped) continue;
    DataColumn column = builders[i].finish();
    out.push_back(sorted ? std::move(column) : picked(column, order));
  }
  return out;
}

}  // namespace

int64_t key_column(const std::vector<std::string>& columns) {
  for (const char* usual : {"path", "file", "filename", "image", "name", "id"}) {
    const auto found = std::ranges::find(columns, usual);
    if (found != columns.end()) return found - columns.begin();
  }
  return -1;
}

DataColumns read_table(const std::filesystem::path& path) {
  const FirstReading found = read_first(path);
  return read_columns(path, hold_words(found), every_row(found.rows), -1);
}

ObservedTable read_observations(const std::filesystem::path& path,
                                const std::vector<std::string>& labels) {
  const FirstReading found = read_first(path);
  std::vector<bool> words = hold_words(found);
  for (size_t i = 0; i < words.size(); ++i) {
    if (std::ranges::find(labels, found.columns[i]) != labels.end()) continue;
    words[i] = words[i] && 2 * found.words[i] >= found.rows;
  }
  ObservedTable out;
  const auto note = [&](const auto& reader, const auto& column, const auto& cell, size_t row) {
    out.faults.try_emplace(
        static_cast<int64_t>(row),
        join("expected a number in line ", reader.line(), ", column '", storage::printable(column),
             "', got '", storage::printable(cell), "'"));
  };
  out.columns = read_columns(path, words, every_row(found.rows), -1, note);
  return out;
}

DataColumns read_table_by_row(const std::filesystem::path& path, int64_t rows) {
  DataColumns out = read_table(path);
  ADASSL_CHECK(out.front().count() == rows, "[", path.string(), "] expected ", rows,
               " rows, one for each row of the data, got ", out.front().count());
  return out;
}

DataColumns read_table_by_name(const std::filesystem::path& path, const std::string& key,
                               const Names& names) {
  const storage::CsvReader header(path);
  const int64_t named = key.empty() ? key_column(header.columns()) : header.require(key);
  ADASSL_CHECK(named >= 0, "[", path.string(),
               "] expected a column path, file, filename, image, name or id that names the ",
               "samples, got none; samples.key can name another");
  const NameFinder finder(names);
  std::vector<int64_t> sample_of;
  std::vector<bool> met(static_cast<size_t>(names.count()));
  int64_t found = 0;
  const FirstReading reading = read_first(path, [&](const auto& fields, const auto& reader) {
    const std::string& name = fields[static_cast<size_t>(named)];
    const int64_t sample = finder.find(name);
    sample_of.push_back(sample);
    if (sample == kNone) return;
    ADASSL_CHECK(!met[static_cast<size_t>(sample)], "[", reader.where(),
                 "] expected one row for each sample, got a second one for '", names[sample], "'");
    met[static_cast<size_t>(sample)] = true;
    ++found;
  });
  if (found < names.count()) {
    const auto first = std::ranges::find(met, false) - met.begin();
    throw Error(join("[", path.string(), "] expected a row for each of ", names.count(),
                     " samples, got none for ", names.count() - found, ", such as '", names[first],
                     "'"));
  }
  return read_columns(path, hold_words(reading), sample_of, named);
}

}  // namespace adassl::data
