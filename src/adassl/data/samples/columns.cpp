#include "adassl/data/samples/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/storage/csv.h"

namespace adassl::data {
namespace {

constexpr size_t kMostClasses = 1000;
constexpr double kMostNumberedClasses = 100;

std::vector<std::string> names_of(const DataColumns& columns) {
  std::vector<std::string> out;
  for (const DataColumn& column : columns) out.push_back(column.name);
  return out;
}

/// Whether the numbers are the labels 0, 1, ..., n - 1; returns n, or 0 if they are not.
int64_t numbered_classes(const std::vector<double>& numbers) {
  std::vector<bool> met;
  for (const double value : numbers) {
    if (value < 0 || value >= kMostNumberedClasses || value != std::floor(value)) return 0;
    const auto label = static_cast<size_t>(value);
    if (label >= met.size()) met.resize(label + 1);
    met[label] = true;
  }
  return std::ranges::all_of(met, [](bool m) { return m; }) ? static_cast<int64_t>(met.size()) : 0;
}

/// The kind that the values suggest; false if the column is no ground truth.
bool guess(const DataColumn& column, Column& out) {
  if (column.is_text()) {
    const size_t classes = column.words.size();
    if (classes < 2 || classes > kMostClasses || 2 * classes > column.codes.size()) return false;
    out.kind = classes == 2 ? Column::Kind::kBinary : Column::Kind::kClass;
    out.classes = static_cast<int64_t>(classes);
    return true;
  }
  const auto [least, most] = std::ranges::minmax_element(column.numbers);
  if (column.numbers.empty() || *least == *most) return false;
  out.classes = numbered_classes(column.numbers);
  out.kind = out.classes == 2  ? Column::Kind::kBinary
             : out.classes > 0 ? Column::Kind::kClass
                               : Column::Kind::kReal;
  return true;
}

/// The kind that the user declared, checked against the values.
void declare(const DataColumn& column, const std::string& kind, Column& out) {
  const bool number = kind == "real" || kind == "angle";
  ADASSL_CHECK(number || kind == "class" || kind == "binary", "[samples.columns] '", column.name,
               "': expected real, angle, class, binary or none, got '", kind, "'");
  ADASSL_CHECK(!number || !column.is_text(), "[samples.columns] '", column.name,
               "': expected numbers for the kind ", kind, ", got words such as '",
               column.is_text() ? column.words.front() : "", "'");
  out.classes = column.is_text() ? static_cast<int64_t>(column.words.size())
                                 : numbered_classes(column.numbers);
  out.kind = kind == "real"    ? Column::Kind::kReal
             : kind == "angle" ? Column::Kind::kAngle
             : kind == "class" ? Column::Kind::kClass
                               : Column::Kind::kBinary;
  if (number) return;
  ADASSL_CHECK(out.classes > 0, "[samples.columns] '", column.name,
               "': expected words or labels 0, 1, 2, ... below ", kMostNumberedClasses,
               " for classes, got other numbers");
  ADASSL_CHECK(kind != "binary" || out.classes == 2, "[samples.columns] '", column.name,
               "': expected two different values for the kind binary, got ", out.classes);
}

}  // namespace

std::string DataColumn::text(int64_t i) const {
  const auto at = static_cast<size_t>(i);
  return is_text() ? words[codes[at]] : text::shortest(numbers[at]);
}

const DataColumn* find_column(const DataColumns& columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name, &DataColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

const DataColumn& require_column(const DataColumns& columns, std::string_view name,
                                 std::string_view where) {
  const DataColumn* found = find_column(columns, name);
  if (found != nullptr) return *found;
  const auto known = names_of(columns);
  throw Error(join("[", where, "] expected a column of the data, ",
                   known.empty() ? "which has none (samples.table names a table)"
                                 : join("one of ", text::list(known)),
                   ", got '", name, "'", text::did_you_mean(name, known)));
}

void add_columns(DataColumns& columns, DataColumns more, const std::string& table) {
  for (DataColumn& column : more) {
    ADASSL_CHECK(find_column(columns, column.name) == nullptr, "[", table,
                 "] expected columns of new names, got '", column.name,
                 "', which the data has already");
    columns.push_back(std::move(column));
  }
}

ColumnBuilder::ColumnBuilder(std::string name, bool text) : text_(text) {
  column_.name = std::move(name);
}

bool ColumnBuilder::add(const std::string& value) {
  if (text_) {
    const auto next = static_cast<uint32_t>(known_.size());
    column_.codes.push_back(known_.try_emplace(value, next).first->second);
    return true;
  }
  double number = 0;
  const bool finite = storage::parse_number(value, number);
  column_.numbers.push_back(finite ? number : std::numeric_limits<double>::quiet_NaN());
  return finite;
}

DataColumn ColumnBuilder::finish() {
  std::vector<uint32_t> sorted(known_.size());  // the new code of each word
  for (const auto& [word, code] : known_) column_.words.push_back(word);
  std::ranges::sort(column_.words);
  for (size_t i = 0; i < column_.words.size(); ++i) {
    sorted[known_.at(column_.words[i])] = static_cast<uint32_t>(i);
  }
  for (uint32_t& code : column_.codes) code = sorted[code];
  column_.codes.shrink_to_fit();
  column_.numbers.shrink_to_fit();
  known_.clear();
  return std::move(column_);
}

double deviation(const DataColumn& column, std::span<const int64_t> samples) {
  double mean = 0, square = 0;
  const auto count = static_cast<double>(samples.size());
  for (const int64_t i : samples) mean += column.numbers[static_cast<size_t>(i)] / count;
  for (const int64_t i : samples) {
    const double difference = column.numbers[static_cast<size_t>(i)] - mean;
    square += difference * difference / count;
  }
  return std::sqrt(square);
}

DataColumn picked(const DataColumn& column, const std::vector<int64_t>& rows) {
  DataColumn out{column.name, {}, {}, column.words};
  for (const int64_t row : rows) {
    if (column.is_text()) {
      out.codes.push_back(column.codes[static_cast<size_t>(row)]);
    } else {
      out.numbers.push_back(column.numbers[static_cast<size_t>(row)]);
    }
  }
  return out;
}

float GroundTruth::value(size_t c, int64_t i) const {
  const auto at = static_cast<size_t>(i);
  const DataColumn& column = *from[c];
  return column.is_text() ? static_cast<float>(column.codes[at])
                          : static_cast<float>(column.numbers[at]);
}

GroundTruth ground_truth(const DataColumns& columns, const std::vector<std::string>& declared) {
  std::vector<std::string> kinds(columns.size());
  for (const std::string& entry : declared) {
    const size_t colon = entry.rfind(':');
    ADASSL_CHECK(colon != std::string::npos,
                 "[samples.columns] expected NAME:KIND, as in 'hue:angle', got '", entry, "'");
    const auto& column = require_column(columns, entry.substr(0, colon), "samples.columns");
    kinds[static_cast<size_t>(&column - columns.data())] = entry.substr(colon + 1);
  }
  GroundTruth out;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (kinds[i] == "none") continue;
    Column column{columns[i].name};
    if (!kinds[i].empty()) {
      declare(columns[i], kinds[i], column);
    } else if (!guess(columns[i], column)) {
      continue;
    }
    if (column.is_factor()) column.classes = 0;
    out.columns.push_back(column);
    out.from.push_back(&columns[i]);
  }
  return out;
}

}  // namespace adassl::data
