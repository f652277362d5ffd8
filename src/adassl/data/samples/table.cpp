#include "adassl/data/samples/table.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "adassl/core/error.h"
#include "adassl/data/samples/name_finder.h"
#include "adassl/storage/csv.h"

namespace adassl::data {
namespace {

constexpr int64_t kNone = -1;  // no sample

/// Which columns hold words, by a first reading of the file. `row` is called for each line.
std::vector<bool> columns_of_words(
    const std::filesystem::path& path,
    const std::function<void(const std::vector<std::string>&, const storage::CsvReader&)>& row) {
  storage::CsvReader reader(path);
  std::vector<bool> words(reader.columns().size());
  double ignored = 0;
  for (std::vector<std::string> fields; reader.next(fields);) {
    row(fields, reader);
    for (size_t i = 0; i < fields.size(); ++i) {
      words[i] = words[i] || !storage::parse_number(fields[i], ignored);
    }
  }
  return words;
}

/// Reads the file again: line k belongs to sample sample_of[k].
DataColumns read_columns(const std::filesystem::path& path, const std::vector<bool>& words,
                         const std::vector<int64_t>& sample_of, int64_t skipped) {
  storage::CsvReader reader(path);
  std::vector<ColumnBuilder> builders;
  for (size_t i = 0; i < words.size(); ++i) builders.emplace_back(reader.columns()[i], words[i]);
  size_t line = 0;
  for (std::vector<std::string> fields; reader.next(fields); ++line) {
    ADASSL_CHECK(line < sample_of.size(), "[", path.string(), "] changed while it was read");
    if (sample_of[line] == kNone) continue;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (static_cast<int64_t>(i) != skipped) builders[i].add(fields[i]);
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
  int64_t rows = 0;
  const auto words =
      columns_of_words(path, [&](const auto& /*fields*/, const auto& /*reader*/) { ++rows; });
  std::vector<int64_t> sample_of(static_cast<size_t>(rows));
  std::iota(sample_of.begin(), sample_of.end(), 0);
  return read_columns(path, words, sample_of, -1);
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
  const auto words = columns_of_words(path, [&](const auto& fields, const auto& reader) {
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
  return read_columns(path, words, sample_of, named);
}

}  // namespace adassl::data
