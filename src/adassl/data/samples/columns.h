#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adassl/core/batch.h"

namespace adassl::data {

/// What a table says about every sample: one number or one word each. Columns serve pairing and
/// evaluation, never training.
struct DataColumn {
  std::string name;
  std::vector<double> numbers = {};     // of a column of numbers
  std::vector<uint32_t> codes = {};     // of a column of words: numbers of `words`
  std::vector<std::string> words = {};  // the different ones, sorted

  bool is_text() const { return !words.empty(); }
  int64_t count() const { return static_cast<int64_t>(is_text() ? codes.size() : numbers.size()); }
  /// The value of a sample as text.
  std::string text(int64_t i) const;
};

using DataColumns = std::vector<DataColumn>;

/// The column of this name, or null.
const DataColumn* find_column(const DataColumns& columns, std::string_view name);
/// The same, but an Error that lists the columns if there is none. `where` names who asks.
const DataColumn& require_column(const DataColumns& columns, std::string_view name,
                                 std::string_view where);

/// Adds the columns of a table; Error if one of them is there already.
void add_columns(DataColumns& columns, DataColumns more, const std::string& table);

/// Collects the values of one column. Whether they are numbers or words has to be known before.
class ColumnBuilder {
 public:
  ColumnBuilder(std::string name, bool text);
  /// Adds NaN and returns false if the column is one of numbers and the value is not a finite one.
  bool add(const std::string& value);
  /// A column of words without any row is a column of numbers.
  DataColumn finish();

 private:
  DataColumn column_;
  bool text_;
  std::unordered_map<std::string, uint32_t> known_;  // in the order of appearance
};

/// The standard deviation of a column of numbers over these samples.
double deviation(const DataColumn& column, std::span<const int64_t> samples);

/// The column of the samples `rows[0], rows[1], ...`.
DataColumn picked(const DataColumn& column, const std::vector<int64_t>& rows);

/// The columns that can be probed, as floats.
struct GroundTruth {
  std::vector<Column> columns = {};
  std::vector<const DataColumn*> from = {};  // one for each

  /// Column `c` of sample `i`: a number, or the label of a class.
  float value(size_t c, int64_t i) const;
};

/// Which columns are ground truth, and of which kind. `declared` has entries such as "hue:angle";
/// a column that is not declared gets its kind from its values:
///   two different words, or the numbers 0 and 1               binary
///   at most 1,000 words, each for two samples on average      class
///   whole numbers from 0 to at most 99, all of which occur    class
///   other numbers                                             real
/// Other words, and columns whose values are all equal, are no ground truth. "name:none" leaves a
/// column out.
GroundTruth ground_truth(const DataColumns& columns, const std::vector<std::string>& declared);

}  // namespace adassl::data
