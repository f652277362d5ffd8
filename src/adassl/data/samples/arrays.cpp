#include "adassl/data/samples/arrays.h"

#include <algorithm>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/data/samples/table.h"

namespace adassl::data {
namespace {

/// One number for each of `width`, or the same for all.
std::vector<float> spread(const std::vector<double>& given, int64_t width, const char* option) {
  ADASSL_CHECK(given.size() <= 1 || static_cast<int64_t>(given.size()) == width, "[samples] ",
               option, ": expected one number, or one for each of ", width,
               " numbers of a row, got ", given.size());
  std::vector<float> out(given.begin(), given.end());
  if (out.size() == 1) out.resize(static_cast<size_t>(width), out.front());
  return out;
}

/// Numbers of sequences, in the order of their first rows; a change of the value begins another.
std::vector<int32_t> runs(const DataColumn& column) {
  std::vector<int32_t> out;
  int32_t number = 0;
  for (int64_t row = 0; row < column.count(); ++row) {
    const auto at = static_cast<size_t>(row);
    const bool same = row > 0 && (column.is_text() ? column.codes[at] == column.codes[at - 1]
                                                   : column.numbers[at] == column.numbers[at - 1]);
    if (row > 0 && !same) ++number;
    out.push_back(number);
  }
  return out;
}

}  // namespace

Standardised::Standardised(const std::vector<double>& mean, const std::vector<double>& deviation,
                           int64_t width)
    : mean_(spread(mean, width, "mean")), scale_(spread(deviation, width, "deviation")) {
  for (float& scale : scale_) scale = 1 / scale;
}

void Standardised::apply(std::span<float> values) const {
  if (!mean_.empty()) {
    for (size_t k = 0; k < values.size(); ++k) values[k] -= mean_[k % mean_.size()];
  }
  if (!scale_.empty()) {
    for (size_t k = 0; k < values.size(); ++k) values[k] *= scale_[k % scale_.size()];
  }
}

void Arrays::Options::visit(Fields& field) {
  SampleOptions::visit(field);
  field("array", array, "which array of an npz or safetensors file; empty: the only matrix");
  field("labels", labels, "columns of numbers in a CSV file that are not values of a sample");
  field("window", window, "rows in a sample of a time series; 0: every row is a sample", {0, 1e6});
  field("stride", stride, "rows from one window to the next", {1, 1e9});
  field("mean", mean, "subtracted from the numbers of a row: one for all, or one for each",
        {-1e30, 1e30});
  field("deviation", deviation, "what they are divided by afterwards", {1e-30, 1e30});
}

Arrays::Arrays(const Options& options, const Progress& /*progress*/) {
  declared_ = options.columns;
  ArrayFile file = read_array_file(options.path, options.array, options.labels);
  values_ = std::move(file.values);
  const int64_t rows = values_.shape[0];
  shape_.assign(values_.shape.begin() + 1, values_.shape.end());
  for (const int64_t extent : shape_) width_ *= extent;
  if (shape_.empty()) shape_ = {1};
  columns_ = std::move(file.columns);
  if (!options.table.empty()) {
    add_columns(columns_, read_table_by_row(options.table, rows), options.table);
  }
  standardised_ = Standardised(options.mean, options.deviation, width_);
  if (options.window > 0) {
    window_ = options.window;
    if (shape_.size() == 1 && width_ == 1) shape_.clear();
    shape_.insert(shape_.begin(), window_);
  }
  place_in_time(options, rows);
  reject_nonfinite(options, file.faults);
}

/// Finds the windows, and replaces what is known about rows by what is known about samples.
void Arrays::place_in_time(const Options& options, int64_t rows) {
  std::vector<int32_t> sequence(static_cast<size_t>(rows), 0);
  if (!options.sequence.empty()) {
    sequence = runs(require_column(columns_, options.sequence, "samples.sequence"));
  }
  for (int64_t first = 0; first < rows;) {
    int64_t end = first;
    while (end < rows && sequence[static_cast<size_t>(end)] == sequence[static_cast<size_t>(first)])
      ++end;
    const int64_t stride = options.window > 0 ? options.stride : 1;
    for (int64_t row = first; row + window_ <= end; row += stride) begins_.push_back(row);
    first = end;
  }
  ADASSL_CHECK(!begins_.empty(), "[", options.path,
               "] samples.window: expected at most the rows of ",
               options.sequence.empty() ? "the file" : "the longest sequence", ", got ", window_,
               " for ", rows, " rows");
  std::vector<int64_t> last_rows;
  for (const int64_t row : begins_) last_rows.push_back(row + window_ - 1);
  for (DataColumn& column : columns_) column = picked(column, last_rows);
  for (const int64_t row : begins_) {
    sequences_.push_back(sequence[static_cast<size_t>(row)]);
    times_.push_back(static_cast<double>(row));
  }
  duration_ = static_cast<double>(window_ - 1);
  if (!options.time.empty()) {
    times_ = times_of_column(*this, options.time);
    const bool several = count() > 1 && sequences_[0] == sequences_[1] && begins_[0] != begins_[1];
    duration_ *=
        several ? (times_[1] - times_[0]) / static_cast<double>(begins_[1] - begins_[0]) : 0.0;
  }
  if (options.rate > 0) {
    for (double& time : times_) time /= options.rate;
    duration_ /= options.rate;
  }
}

std::string Arrays::name(int64_t i) const { return join("row ", begins_[static_cast<size_t>(i)]); }

void Arrays::fetch_row(int64_t i, std::span<float> out) const {
  to_floats(values_, begins_[static_cast<size_t>(i)] * width_, out);
  standardised_.apply(out);
}

void Arrays::reject_nonfinite(const Options& options,
                              const std::map<int64_t, std::string>& faults) {
  std::vector<float> row(static_cast<size_t>(width_));
  std::vector<int64_t> bad;
  for (int64_t r = 0; r < values_.shape[0]; ++r) {
    to_floats(values_, r * width_, row);
    if (!std::ranges::all_of(row, [](float v) { return std::isfinite(v); })) bad.push_back(r);
  }
  if (bad.empty()) return;
  for (int64_t i = 0; i < count(); ++i) {
    const int64_t begin = begins_[static_cast<size_t>(i)];
    const auto first = std::ranges::lower_bound(bad, begin);
    if (first == bad.end() || *first >= begin + window_) continue;
    const auto fault = faults.find(*first);
    rejected_.push_back({i, name(i),
                         fault != faults.end()
                             ? fault->second
                             : join("holds a NaN or an infinity in row ", *first)});
  }
  require_tolerable(rejected_, count(), options.tolerate, options.path);
}

}  // namespace adassl::data
